import Contracts
import Testing

@Suite("A timestamp") struct TimestampTests {
  @Test(
    "is RFC 3339 in UTC with three decimals",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"),
      (1, "1970-01-01T00:00:00.001Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (86_399_999, "1970-01-01T23:59:59.999Z"),
      (86_400_000, "1970-01-02T00:00:00.000Z"),
      (-86_400_000, "1969-12-31T00:00:00.000Z"),
      (-86_400_001, "1969-12-30T23:59:59.999Z"),
      (951_782_399_999, "2000-02-28T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (951_868_800_000, "2000-03-01T00:00:00.000Z"),
      (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
      (1_764_500_000_002, "2025-11-30T10:53:20.002Z"),
      (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
      (-2_203_891_200_001, "1900-02-28T23:59:59.999Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (253_402_300_800_000, "9999-12-31T23:59:59.999Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
      (-62_167_219_200_001, "0000-01-01T00:00:00.000Z"),
      (.max, "9999-12-31T23:59:59.999Z"),
      (.min, "0000-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func borders(milliseconds: Int64, expected: String) {
    #expect(Timestamp.rfc3339(milliseconds) == expected)
  }

  @Test("is right on each day of a whole cycle of 400 years, the first and the last one")
  func everyDay() {
    var (year, month, day) = (1970, 1, 1)
    var wrong: [Int] = []
    for number in 0..<146_097 {
      let noon = Int64(number) * 86_400_000 + 43_200_000
      let parts = { (shift: Int64) in
        Timestamp.rfc3339(noon + shift * 146_097 * 86_400_000).prefix(10).split(separator: "-").compactMap { Int($0) }
      }
      if parts(0) != [year, month, day] { wrong.append(number) }
      if parts(19) != [year + 7600, month, day] { wrong.append(number) }
      let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
      day += 1
      if day > days { (day, month) = (1, month + 1) }
      if month > 12 { (month, year) = (1, year + 1) }
    }
    #expect(wrong.isEmpty)
    #expect((year, month, day) == (2370, 1, 1))
  }
}
