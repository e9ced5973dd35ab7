import Service
import Testing

@Suite("An instant as text") struct RFC3339Tests {
  @Test(
    "is written and read back",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (1_796_029_200_000, "2026-11-30T09:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
      (-86_400_000, "1969-12-31T00:00:00.000Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func both(milliseconds: Int64, text: String) {
    #expect(RFC3339.text(milliseconds) == text)
    #expect(RFC3339.milliseconds(text) == milliseconds)
  }

  @Test("is cut to the years 0 to 9999 when written", arguments: [Int64.min, .max, -62_167_219_200_001])
  func beyond(milliseconds: Int64) {
    let first = "0000-01-01T00:00:00.000Z"
    #expect(RFC3339.text(milliseconds) == (milliseconds < 0 ? first : "9999-12-31T23:59:59.999Z"))
  }

  @Test(
    "may have none to three decimals",
    arguments: [("", 0), (".5", 500), (".05", 50), (".25", 250), (".007", 7), (".000", 0)] as [(String, Int64)])
  func decimals(text: String, milliseconds: Int64) {
    #expect(RFC3339.milliseconds("1970-01-01T00:00:00\(text)Z") == milliseconds)
  }

  @Test(
    "is nothing else",
    arguments: [
      "", "Z", "2026-11-30", "2026-11-30T09:00:00", "2026-11-30T09:00:00.Z", "2026-11-30T09:00:00.1234Z",
      "2026-11-30T09:00:00+00:00", "2026-11-30t09:00:00Z", "2026-11-30T09:00:00z", "2026-11-30 09:00:00Z",
      "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z",
      "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
      "2026-01-01T00:00:60Z", "-026-01-01T00:00:00Z", "2026-1-01T00:00:000Z", "+2026-01-01T00:00:00Z",
      "2026-01-01T00:00:00.1 Z", "２026-01-01T00:00:00Z", "1796029200000",
    ])
  func refused(text: String) { #expect(RFC3339.milliseconds(text) == nil) }
}
