import Service
import Testing

@Suite("Metrics") struct MetricsTests {
  private let registry = MetricRegistry()

  @Test("are written in the order of their registration, with help and type")
  func order() {
    let taken = registry.counter("refundlog_taken_total", "Notifications taken")
    let lag = registry.gauge("refundlog_lag_seconds", "Seconds behind")
    taken.add()
    taken.add(2)
    lag.set(1.5)
    lag.add(-2)
    #expect(
      registry.text() == """
        # HELP refundlog_taken_total Notifications taken
        # TYPE refundlog_taken_total counter
        refundlog_taken_total 3
        # HELP refundlog_lag_seconds Seconds behind
        # TYPE refundlog_lag_seconds gauge
        refundlog_lag_seconds -0.5

        """)
  }

  @Test("are there from the start when they have no labels, and with their first value when they have")
  func start() {
    _ = registry.counter("a_total", "a")
    let byType = registry.counters("b_total", "b", labels: ["type"])
    #expect(
      registry.text()
        == "# HELP a_total a\n# TYPE a_total counter\na_total 0\n# HELP b_total b\n# TYPE b_total counter\n")
    byType["REFUND"].add()
    #expect(registry.text().hasSuffix("b_total{type=\"REFUND\"} 1\n"))
  }

  @Test("have one series for each set of label values, in their order")
  func labels() {
    let family = registry.counters("calls_total", "Calls", labels: ["app", "status"])
    family["b", "202"].add()
    family["a", "400"].add(3)
    family["b", "202"].add()
    #expect(family["a", "400"] === family["a", "400"])
    let lines = registry.text().split(separator: "\n").dropFirst(2)
    #expect(lines == ["calls_total{app=\"a\",status=\"400\"} 3", "calls_total{app=\"b\",status=\"202\"} 2"])
  }

  @Test(
    "stay one line each, whatever a label holds",
    arguments: [
      ("a\"b", #"a\"b"#), (#"a\b"#, #"a\\b"#), ("a\nb", #"a\nb"#), ("a\r\nb", "a\r\\nb"), ("é{},=", "é{},="), ("", ""),
    ])
  func escaping(value: String, written: String) {
    registry.counters("x_total", "one\\two\n\"three\"", labels: ["l"])[value].add()
    #expect(
      registry.text() == #"# HELP x_total one\\two\n"three""#
        + "\n# TYPE x_total counter\nx_total{l=\"\(written)\"} 1\n")
  }

  @Test(
    "write numbers as Prometheus reads them",
    arguments: [
      (0, "0"), (-0.0, "0"), (3, "3"), (0.1, "0.1"), (-2.5, "-2.5"), (1e-7, "1e-07"), (1e300, "1e+300"),
      (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
    ] as [(Double, String)])
  func numbers(value: Double, written: String) {
    registry.gauge("g", "g").set(value)
    #expect(registry.text().hasSuffix("\ng \(written)\n"))
  }

  @Test("of a histogram count what is at or below each bound")
  func histogram() {
    let histogram = registry.histograms("h_seconds", "h", labels: ["call"], bounds: [0.1, 1])["append"]
    for value in [0.05, 0.1, 0.2, 1, 1.5, .nan] { histogram.observe(value) }
    #expect(
      registry.text().split(separator: "\n").dropFirst(2) == [
        "h_seconds_bucket{call=\"append\",le=\"0.1\"} 2", "h_seconds_bucket{call=\"append\",le=\"1\"} 4",
        "h_seconds_bucket{call=\"append\",le=\"+Inf\"} 5", "h_seconds_sum{call=\"append\"} 2.85",
        "h_seconds_count{call=\"append\"} 5",
      ])
  }

  @Test("that are measured are asked when they are written, and may have no value")
  func measured() {
    let age = Monitor<Double?>(nil)
    registry.measured("age_seconds", "Age") { age.withLock { $0 } }
    registry.counted("seen_total", "Seen") { 7 }
    #expect(!registry.text().contains("\nage_seconds "))
    age.change { $0 = 12 }
    #expect(registry.text().contains("\nage_seconds 12\n"))
    #expect(registry.text().hasSuffix("\nseen_total 7\n"))
  }

  @Test("do not grow without bound with values that strangers choose")
  func bound() {
    let family = registry.counters("u_total", "u", labels: ["path", "method"])
    for number in 0..<2000 { family["/\(number)", "GET"].add() }
    let lines = registry.text().split(separator: "\n").dropFirst(2)
    #expect(lines.count == 1001)
    #expect(lines.contains("u_total{path=\"other\",method=\"other\"} 1000"))
    family["/0", "GET"].add()
    #expect(family["/0", "GET"].value == 2)
  }

  @Test("lose nothing between threads")
  func threads() {
    let counter = registry.counter("t_total", "t")
    let gauge = registry.gauge("t", "t")
    let histogram = registry.histogram("t_seconds", "t", bounds: [1])
    let family = registry.counters("f_total", "f", labels: ["n"])
    let threads = (0..<4).map { _ in
      OwnedThread(name: "adds") {
        for number in 0..<5000 {
          counter.add()
          gauge.add(0.5)
          histogram.observe(1)
          family["\(number % 10)"].add()
        }
      }
    }
    for thread in threads { thread.join() }
    let text = registry.text()
    #expect(counter.value == 20_000)
    #expect(gauge.value == 10_000)
    #expect(text.contains("t_seconds_sum 20000\nt_seconds_count 20000\n"))
    #expect(text.contains("f_total{n=\"9\"} 2000\n"))
  }

  @Test(
    "with a name or label that Prometheus does not take stop the program",
    arguments: ["", "9a_total", "a-b_total", "é_total", "a_counter"])
  func names(name: String) async {
    await #expect(processExitsWith: .failure) { [name] in
      _ = MetricRegistry().counter(name, "x")
    }
  }

  @Test("with a repeated name, or a label of Prometheus' own, stop the program")
  func mistakes() async {
    await #expect(processExitsWith: .failure) {
      let registry = MetricRegistry()
      _ = registry.counter("a_total", "a")
      _ = registry.gauge("a_total", "a")
    }
    await #expect(processExitsWith: .failure) { _ = MetricRegistry().gauges("a", "a", labels: ["__a"]) }
    await #expect(processExitsWith: .failure) { _ = MetricRegistry().gauges("a", "a", labels: ["le"]) }
    await #expect(processExitsWith: .failure) { _ = MetricRegistry().gauges("a", "a", labels: ["x", "x"]) }
  }
}
