import SeaCore
import SeaSystem

/// The helper programs for remote containers, and the connections to the running ones.
///
/// There is one connection per location. If a location is opened again, its helper is reused, but files are listed
/// again.
package final class Helpers {
  package var find: (String) -> String?
  package var variable: (String) -> String? = ThisProcess.environment
  package var isHidden: (String) -> Bool = { _ in false }
  /// Receives a helper's error output, line by line. Long lines are truncated.
  package var complains: (_ place: String, _ line: String) -> Void = { _, _ in }
  /// Returns the code to run on a thread that serves a location; nil if the location is served by a program.
  package var answers: (HelperPlace) -> (@Sendable (ThreadChannel) -> Void)? = { _ in nil }
  package var converse: (Launch) throws(SystemError) -> Conversation = { launch throws(SystemError) in
    try Conversation(launch)
  }
  /// The number of seconds after which a silent helper is abandoned.
  package var silence = 60
  /// The maximum number of seconds for which a helper can keep reporting that it is still working on a request.
  package var longestWait = 600
  /// The maximum number of concurrent requests in a helper; nil to let the helper choose.
  package var jobs: Int?
  package static let jobsVariable = "SEA_HELPER_JOBS"
  package var throttle: Throttle?
  /// The end of the run in monotonic nanoseconds. From then on, only progress extends a wait.
  package var ends = Int64.max
  /// Returns whether the run was stopped. From then on, only progress extends a wait.
  package var isStopped: () -> Bool = { false }
  package var mostFiles = Wire.mostFiles
  private var open: [String: HelperContainer] = [:]
  private var complaints: [String: String] = [:]

  package init(find: @escaping (String) -> String? = Helpers.inPath) { self.find = find }

  package static func inPath(_ name: String) -> String? {
    ThisProcess.environment("PATH").flatMap { list in
      list.split(separator: ":").lazy.map { "\($0)/\(name)" }.first(where: Path.isExecutable)
    }
  }

  /// Returns the container at a location. The helper is started later, when it is needed.
  package func container(at place: HelperPlace) -> HelperContainer {
    if let known = open[place.location], known.isIdle {
      known.forget()
      return known
    }
    let made = HelperContainer(place, self)
    open[place.location] = made
    return made
  }

  package func close() {
    for container in open.values { container.close() }
    open = [:]
  }

  package static func program(for scheme: String) -> String { "sea-remote-\(scheme)" }

  package func reaches(_ place: HelperPlace) -> Bool {
    place.scheme == SSHPlace.scheme || answers(place) != nil || find(Helpers.program(for: place.scheme)) != nil
  }

  private func launch(_ place: HelperPlace) throws(ContainerError) -> Launch {
    guard place.scheme == SSHPlace.scheme else {
      let name = Helpers.program(for: place.scheme)
      guard let path = find(name) else {
        let missing = SystemError(call: "find", errno: SystemError.missing, path: name)
        throw .helper(.notStarted(missing), place: place.location)
      }
      var launch = Launch(path, [name, place.location])
      let isTunnel = place.scheme == "sea+https" || place.scheme == "sea+http"
      // Only the tunnel helper needs the token.
      launch.isHidden = { [isHidden] in !(isTunnel && $0.hasPrefix("SEA_TOKEN")) && isHidden($0) }
      if let jobs { launch.variables.append((Helpers.jobsVariable, String(jobs))) }
      return launch
    }
    guard let far = SSHPlace(place.location) else { throw .helper(.badPlace, place: place.location) }
    var launch = Launch("ssh", ["ssh"] + far.arguments)
    if let ssh = variable("SEA_SSH"), !ssh.isEmpty {
      // If the command has options, the shell splits it.
      launch = Launch("/bin/sh", ["sh", "-c", "\(ssh) \"$@\"", ssh] + far.arguments)
    }
    // The ssh program needs this variable to prompt for a key's passphrase.
    launch.isHidden = { [isHidden] in $0 != "SSH_ASKPASS" && isHidden($0) }
    return launch
  }

  /// Whether ssh was denied access. If so, more attempts could lock the user out.
  func isDenied(at place: HelperPlace) -> Bool {
    let complaint = complaints[place.location] ?? ""
    return ["Permission denied", "verification failed"].contains { complaint.firstPlace(of: $0) != nil }
  }

  func start(_ place: HelperPlace) throws(ContainerError) -> HelperConnection {
    HelperConnection(
      try conversation(place), to: place.location, silence: silence, longestWait: longestWait, mostFiles: mostFiles,
      ends: ends, isStopped: isStopped)
  }

  func conversation(_ place: HelperPlace) throws(ContainerError) -> Conversation {
    let conversation: Conversation
    if let answer = answers(place) {
      conversation = try started(place) { () throws(SystemError) in try Helpers.thread(answer) }
    } else {
      let launch = try launch(place)
      conversation = try started(place) { () throws(SystemError) in try converse(launch) }
    }
    let lines = ComplaintLines { [complains, unowned self] line in
      // Each ssh attempt reports the same error.
      if line != complaints.updateValue(line, forKey: place.location) { complains(place.location, line) }
    }
    conversation.complains = { lines.consume($0) }
    conversation.throttle = throttle
    return conversation
  }

  private func started(
    _ place: HelperPlace, _ begin: () throws(SystemError) -> Conversation
  ) throws(ContainerError) -> Conversation {
    do throws(SystemError) { return try begin() } catch { throw .helper(.notStarted(error), place: place.location) }
  }

  private static func thread(_ answer: @escaping @Sendable (ThreadChannel) -> Void) throws(SystemError) -> Conversation
  {
    let line = try ThreadChannel.made(named: "thread")
    let there = line.there
    try SerialThread().run { answer(there) }
    return line.here
  }
}

final class ComplaintLines {
  static let most = 40
  static let longest = 400

  private let report: (String) -> Void
  private var line: [UInt8] = []
  private var count = 0

  init(_ report: @escaping (String) -> Void) { self.report = report }

  deinit { if !line.isEmpty { finish() } }

  func consume(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes where count <= ComplaintLines.most {
      if byte == 0x0A {
        finish()
      } else if line.count < ComplaintLines.longest {
        line.append(byte)
      }
    }
  }

  private func finish() {
    count += 1
    if line.last == 0x0D { line.removeLast() }
    if count <= ComplaintLines.most {
      if !line.isEmpty { report(String(decoding: line, as: UTF8.self)) }
    } else {
      report("(further lines omitted)")
    }
    line = []
  }
}
