import SeaContainer
import SeaCore
import SeaSystem

/// `rclone serve s3` on the loopback, for one conversation: it reaches what rclone reaches, and speaks what we speak.
///
/// It lets in who has a key that is made anew each time, and stands in no list of processes. It ends with this process, however
/// that ends.
package final class RcloneServer {
  /// The one bucket: a folder of the remote, which need not be there yet.
  package static let bucket = "sea"
  /// What combines folders under names of ours: in the environment of rclone, so that the location is in no list of processes.
  private static let remote = "SEAHUB"
  private static let patience = 30.0
  private static let mark = "[http://127.0.0.1:"

  private let companion: Companion
  package let settings: S3Settings

  /// - Parameter program: a path, or a name on PATH.
  package init(_ program: String, _ location: RcloneLocation) throws(S3Fault) {
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
        // What others have set for themselves would keep us from hearing where it listens.
        ("RCLONE_LOG_FILE", ""), ("RCLONE_USE_JSON_LOG", "false"), ("RCLONE_SYSLOG", "false"),
      ]
      companion = try Companion(launch)
    } catch {
      throw S3Fault(.failed, "'\(program)' cannot be started: \(error.reason)")
    }
    var last = "it says nothing"
    while let line = companion.line(within: RcloneServer.patience) {
      guard let start = line.firstPlace(of: RcloneServer.mark) else {
        last = RcloneServer.words(of: line)
        continue
      }
      let port = line[start.upperBound...].prefix { $0.isASCII && $0.isNumber }
      guard let endpoint = Endpoint("http://127.0.0.1:\(port)") else { break }
      settings = S3Settings(endpoint: endpoint, credentials: credentials)
      // Of a folder that is no more needed, and is.
      try? companion.passOn(to: .standardError()) { $0.hasSuffix("Dir.Remove not empty") }
      return
    }
    companion.end()
    throw S3Fault(last.hasSuffix("not found") ? .failed : .gone, "rclone did not start: \(last.prefix(300))")
  }

  /// What a line of its log says, without the time and how grave it is.
  private static func words(of line: String) -> String {
    for level in ["NOTICE: ", "ERROR : ", "CRITICAL: "] {
      if let found = line.firstPlace(of: level) { return String(line[found.upperBound...]) }
    }
    return line
  }

  package func end() { companion.end() }
}
