import Glibc

/// Where things lie in the checkout; found from this file's own place, so that tests need no bundle.
public enum Project {
  /// The folder that holds `Package.swift`.
  public static let root: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return parts.joined(separator: "/")
  }()

  /// Test data that travels with the project: `cases.json`, `jws/derived`, `certs/derived`, `http`, `ocsp`.
  public static let vectors = root + "/Tests/Vectors"

  /// Logs of every release, each in a folder of its name.
  public static let golden = root + "/Tests/Golden"

  /// The full set of vectors, where the folder lies beside the project; it adds what may not be copied.
  public static let sharedVectors: String? = {
    let path = root + "/../shared/apple/vectors"
    return access(path + "/cases.json", R_OK) == 0 ? path : nil
  }()

  /// Bytes of a file of the checkout; nil where it does not exist.
  public static func bytes(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return result }
      result.append(contentsOf: buffer[..<count])
    }
  }
}
