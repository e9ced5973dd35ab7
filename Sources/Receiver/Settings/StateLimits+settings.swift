import Service

extension ParkingLimits {
  /// Reads the object `parked`.
  init(_ reader: SettingsReader) {
    self.init()
    reader.object("parked") { reader in
      perApp = Self.amount(
        reader, "perApp", perApp, "genuine notifications kept for one app in the settings that do not fit them")
      perForeignBundle = Self.amount(
        reader, "perForeignBundle", perForeignBundle, "the same for one bundle that is not in the settings")
      foreign = Self.amount(
        reader, "foreign", foreign,
        "the same for all such bundles together, once for Production and once for the rest")
    }
  }

  private static func amount(
    _ reader: SettingsReader, _ key: String, _ standard: Amount, _ meaning: String
  ) -> Amount {
    Amount(
      count: Int(reader.integer(key, in: 1...10_000_000, Int64(standard.count), meaning)),
      bytes: Int(
        reader.integer(
          key + "Megabytes", in: 1...1_000_000, Int64(standard.bytes >> 20), "megabytes of their tokens")) << 20)
  }
}

extension QuarantineLimits {
  /// Reads the object `quarantine`.
  init(_ reader: SettingsReader) {
    self.init()
    reader.object("quarantine") { reader in
      count = Int(reader.integer("count", in: 0...1_000_000, Int64(count), "notes of refused bodies that are kept"))
      bytes = Int(reader.integer("megabytes", in: 1...100_000, Int64(bytes >> 20), "megabytes of such notes")) << 20
      let days = Int64(86_400_000)
      ageMilliseconds =
        reader.integer("days", in: 1...3_650, ageMilliseconds / days, "days after which a note is forgotten") * days
    }
  }
}
