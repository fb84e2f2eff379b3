import SeaContainer
import SeaCore
import SeaSystem

/// The implementation of the programs `sea-remote-s3 LOCATION` and `sea-remote-rclone LOCATION`.
package enum S3Program {
  private static let largestFile = 1 << 20
  private static let rclone = "sea-remote-rclone"

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
    do {
      if isRclone { try runRclone(session, location) } else { try runS3(session, location) }
      return 0
    } catch {
      let reason = (error as? SystemError)?.reason ?? "\(error)"
      try? File.standardError().write("\(isRclone ? rclone : "sea-remote-s3"): \(reason)\n")
      return 1
    }
  }

  private static func runS3(_ session: S3Session, _ location: String) throws {
    let around = S3Settings.Surroundings(
      variable: ThisProcess.environment,
      file: { path in
        guard let bytes = try? File(path).readAll(limit: largestFile) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
      })
    try session.run(location) { () throws(WireRefusal) in try S3Settings(around) }
  }

  private static func runRclone(_ session: S3Session, _ location: String) throws {
    var server: RcloneServer?
    defer { server?.end() }
    try session.run("s3://" + RcloneServer.bucket) { () throws(WireRefusal) in
      guard let place = RcloneLocation(location) else {
        throw WireRefusal(
          .failed, "invalid location: expected rclone:REMOTE:PATH, with a remote from the configuration of rclone")
      }
      let started = try RcloneServer(ThisProcess.environment("SEA_RCLONE") ?? "rclone", place)
      server = started
      return started.settings
    }
  }
}

/// Runs `rclone serve s3` on the loopback interface for one session, to access rclone's remotes through the S3
/// protocol.
///
/// The server requires a key that is generated for each run and does not appear in the process list. When this process
/// ends, even by crashing, the server also ends.
package final class RcloneServer {
  /// The only bucket, which is a folder of the remote. The folder need not exist yet.
  package static let bucket = "sea"
  /// The rclone remote that contains the bucket. The remote is defined in rclone's environment, so that the location
  /// does not appear in the process list.
  private static let remote = "SEAHUB"
  private static let patience = 30.0
  private static let mark = "[http://127.0.0.1:"

  private let companion: Companion
  package let settings: S3Settings

  package init(_ program: String, _ location: RcloneLocation) throws(WireRefusal) {
    let credentials: Credentials
    var launch = Launch(
      program,
      [
        program, "serve", "s3", "--addr", "127.0.0.1:0", "--vfs-cache-mode", "off", "--log-level", "NOTICE",
        RcloneServer.remote + ":",
      ])
    do throws(SystemError) {
      credentials = Credentials(id: Hex.text(try Random.bytes(16)), secret: Hex.text(try Random.bytes(32)))
      launch.variables = [
        ("RCLONE_AUTH_KEY", "\"\(credentials.id),\(credentials.secret)\""),
        ("RCLONE_CONFIG_\(RcloneServer.remote)_TYPE", "combine"),
        ("RCLONE_CONFIG_\(RcloneServer.remote)_UPSTREAMS", location.upstream(RcloneServer.bucket)),
        // The user's log settings could hide the port that rclone listens on.
        ("RCLONE_LOG_FILE", ""), ("RCLONE_USE_JSON_LOG", "false"), ("RCLONE_SYSLOG", "false"),
      ]
      companion = try Companion(launch)
    } catch {
      throw WireRefusal(.failed, "cannot start '\(program)': \(error.reason)")
    }
    var last = "no output"
    while let line = companion.line(within: RcloneServer.patience) {
      guard let start = line.firstPlace(of: RcloneServer.mark) else {
        last = RcloneServer.words(of: line)
        continue
      }
      let port = line[start.upperBound...].prefix { $0.isASCII && $0.isNumber }
      guard let endpoint = Endpoint("http://127.0.0.1:\(port)") else { break }
      settings = S3Settings(endpoint: endpoint, credentials: credentials)
      // A line like this means that rclone is keeping a folder that is still in use, which is not an error.
      try? companion.passOn(to: .standardError()) { $0.hasSuffix("Dir.Remove not empty") }
      return
    }
    companion.end()
    throw WireRefusal(last.hasSuffix("not found") ? .failed : .gone, "rclone did not start: \(last.prefix(300))")
  }

  private static func words(of line: String) -> String {
    for level in ["NOTICE: ", "ERROR : ", "CRITICAL: "] {
      if let found = line.firstPlace(of: level) { return String(line[found.upperBound...]) }
    }
    return line
  }

  package func end() { companion.end() }
}

/// The location of a container that is reached through rclone's configuration: `rclone:REMOTE:PATH`.
package struct RcloneLocation: Equatable, Sendable {
  /// The location in rclone's own form: `REMOTE:PATH`.
  package let place: String

  private static let scheme = "rclone:"
  private static let longest = 2048

  /// Returns nil if the location is invalid. A connection string is not accepted in place of a remote name, because it
  /// could contain a visible password.
  package init?(_ text: String) {
    guard text.hasPrefix(RcloneLocation.scheme), text.utf8.count <= RcloneLocation.longest else { return nil }
    let place = text.dropFirst(RcloneLocation.scheme.utf8.count)
    let remote = place.prefix { $0 != ":" }
    let path = place.dropFirst(remote.count + 1)
    // The rules are in rclone.org/docs, under "Valid remote names".
    let isName =
      remote.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil || "_-.+@ ".unicodeScalars.contains($0)
      }
      && remote.first.map { $0 != "-" && $0 != " " } ?? false && remote.last != " "
    guard isName, place.count > remote.count, !path.allSatisfy({ $0 == "/" }),
      !place.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else { return nil }
    self.place = String(place)
  }

  /// Returns the location as a quoted element of an rclone list. Quotation marks within the element are doubled.
  package func upstream(_ name: String) -> String {
    "\"\(name)=" + place.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
