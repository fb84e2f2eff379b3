import SeaContainer
import SeaSystem

/// `sea-remote-s3 LOCATION`: from a command line to a status.
package enum S3Program {
  private static let largestFile = 1 << 20

  package static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count == 1, let location = arguments.first, !location.hasPrefix("-") else {
      try? File.standardError().write("usage: sea-remote-s3 s3://BUCKET[/PREFIX]\n")
      return 2
    }
    let around = S3Settings.Surroundings(
      variable: ThisProcess.environment,
      file: { path in
        guard let bytes = try? File(path).readAll(limit: largestFile) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
      })
    let session = S3Session(reading: File.standardInput(), writing: File.standardOutput())
    do throws(SystemError) {
      try session.run(location) { () throws(S3Fault) in try S3Settings(around) }
      return 0
    } catch {
      try? File.standardError().write("sea-remote-s3: \(error.reason)\n")
      return 1
    }
  }
}
