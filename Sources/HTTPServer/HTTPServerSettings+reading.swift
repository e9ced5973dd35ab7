import Glibc
public import Service

extension HTTPServerSettings {
  /// Reads the key `address`; a name in place of numbers is a fault, told before anything is started.
  public static func address(_ reader: SettingsReader, _ standard: String, _ meaning: String) -> String {
    let address = reader.text("address", standard, meaning + "; IPv4 or IPv6 in numbers")
    var binary = in6_addr()
    if inet_pton(AF_INET, address, &binary) != 1, inet_pton(AF_INET6, address, &binary) != 1 {
      reader.refuse(
        "address", "is \(address.prefix(100)); allowed is a numeric address such as 127.0.0.1, 0.0.0.0 or ::1")
    }
    return address
  }
}
