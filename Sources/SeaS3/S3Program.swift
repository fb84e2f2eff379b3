import SeaContainer
import SeaSystem

/// `sea-remote-s3 LOCATION`, and `sea-remote-rclone LOCATION`, which is the same program: from a command line to a status.
package enum S3Program {
  private static let largestFile = 1 << 20
  private static let rclone = "sea-remote-rclone"

  /// - Parameter arguments: with the name that it was called by in front.
  package static func run(_ arguments: [String]) -> Int32 {
    let isRclone = arguments.first.map { Path.name($0) } == rclone
    guard arguments.count == 2, let location = arguments.last, !location.hasPrefix("-") else {
      let usage = isRclone ? "\(rclone) rclone:REMOTE:PATH" : "sea-remote-s3 s3://BUCKET[/PREFIX]"
      try? File.standardError().write("usage: \(usage)\n")
      return 2
    }
    let session = S3Session(
      reading: File.standardInput(), writing: File.standardOutput(),
      jobs: ThisProcess.environment(Helpers.jobsVariable))
    do throws(SystemError) {
      if isRclone { try runRclone(session, location) } else { try runS3(session, location) }
      return 0
    } catch {
      try? File.standardError().write("\(isRclone ? rclone : "sea-remote-s3"): \(error.reason)\n")
      return 1
    }
  }

  private static func runS3(_ session: S3Session, _ location: String) throws(SystemError) {
    let around = S3Settings.Surroundings(
      variable: ThisProcess.environment,
      file: { path in
        guard let bytes = try? File(path).readAll(limit: largestFile) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
      })
    try session.run(location) { () throws(S3Fault) in try S3Settings(around) }
  }

  private static func runRclone(_ session: S3Session, _ location: String) throws(SystemError) {
    var server: RcloneServer?
    defer { server?.end() }
    try session.run("s3://" + RcloneServer.bucket) { () throws(S3Fault) in
      guard let place = RcloneLocation(location) else {
        throw S3Fault(.failed, "the location is none: rclone:REMOTE:PATH, with a remote of rclone's configuration")
      }
      let started = try RcloneServer(ThisProcess.environment("SEA_RCLONE") ?? "rclone", place)
      server = started
      return started.settings
    }
  }
}
