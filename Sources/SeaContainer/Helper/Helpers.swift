import SeaCore
import SeaSystem

/// The programs that reach containers elsewhere, and the lines to those that run.
///
/// There is one line to each place: who opens a place twice talks to the same helper, and looks at its names anew.
package final class Helpers {
  /// The path of a program that is to be started by its name; nil if there is none.
  package var find: (String) -> String?
  /// The value of an environment variable.
  package var variable: (String) -> String? = ThisProcess.environment
  /// Variables that helpers do not get.
  package var isHidden: (String) -> Bool = { _ in false }
  /// Told what a helper complains of, a line at a time, as it wrote it but for its length.
  package var complains: (_ place: String, _ line: String) -> Void = { _, _ in }
  /// What a thread of this process does that answers for a place; nil where a program does.
  package var answers: (HelperPlace) -> (@Sendable (ThreadLine) -> Void)? = { _ in nil }
  /// Begins to talk to a program.
  package var converse: (Launch) throws(SystemError) -> Conversation = { launch throws(SystemError) in
    try Conversation(launch)
  }
  /// Seconds after which a helper that says nothing is given up.
  package var silence = 60
  /// Seconds for which a helper may say that it is still at work on one request.
  package var longestWait = 600
  /// How many requests a helper may have under way at once; nil for as many as it thinks good.
  package var jobs: Int?
  /// Tells a helper of that.
  package static let jobsVariable = "SEA_HELPER_JOBS"
  /// How fast bytes go to helpers and come from them; nil for as fast as they can.
  package var throttle: Throttle?
  /// When the whole run is over, monotonic nanoseconds: then nothing is waited for on which nothing moves.
  package var ends = Int64.max
  /// Whether whoever waits has been told to stop: then nothing is waited for any more on which nothing moves.
  package var isStopped: () -> Bool = { false }
  /// So many files are taken in of a listing.
  package var mostFiles = Wire.mostFiles
  private var open: [String: HelperContainer] = [:]
  /// The last complaint about each place.
  private var complaints: [String: String] = [:]

  package init(find: @escaping (String) -> String? = Helpers.inPath) { self.find = find }

  /// In the folders of PATH.
  package static func inPath(_ name: String) -> String? {
    ThisProcess.environment("PATH").flatMap { list in
      list.split(separator: ":").lazy.map { "\($0)/\(name)" }.first(where: Path.isExecutable)
    }
  }

  /// The container at a place. Nobody is talked to yet.
  package func container(at place: HelperPlace) -> HelperContainer {
    if let known = open[place.location], known.isIdle {
      known.forget()
      return known
    }
    let made = HelperContainer(place, self)
    open[place.location] = made
    return made
  }

  /// Takes leave of all.
  package func close() {
    for container in open.values { container.close() }
    open = [:]
  }

  /// The program that a scheme stands for: `sea-remote-SCHEME`.
  package static func program(for scheme: String) -> String { "sea-remote-\(scheme)" }

  /// Whether there is a program for a place.
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
      // The token is for this helper alone.
      launch.isHidden = { [isHidden] in !(isTunnel && $0.hasPrefix("SEA_TOKEN")) && isHidden($0) }
      if let jobs { launch.variables.append((Helpers.jobsVariable, String(jobs))) }
      return launch
    }
    guard let far = SSHPlace(place.location) else { throw .helper(.badPlace, place: place.location) }
    var launch = Launch("ssh", ["ssh"] + far.arguments)
    if let ssh = variable("SEA_SSH"), !ssh.isEmpty {
      // The shell splits what has options.
      launch = Launch("/bin/sh", ["sh", "-c", "\(ssh) \"$@\"", ssh] + far.arguments)
    }
    // It asks for the passphrase of a key with this one.
    launch.isHidden = { [isHidden] in $0 != "SSH_ASKPASS" && isHidden($0) }
    return launch
  }

  /// Whether an ssh was not let in: whoever tries again might be locked out.
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
      // Each try of an ssh says the same.
      if line != complaints.updateValue(line, forKey: place.location) { complains(place.location, line) }
    }
    conversation.complains = { lines.take($0) }
    conversation.throttle = throttle
    return conversation
  }

  private func started(
    _ place: HelperPlace, _ begin: () throws(SystemError) -> Conversation
  ) throws(ContainerError) -> Conversation {
    do throws(SystemError) { return try begin() } catch { throw .helper(.notStarted(error), place: place.location) }
  }

  /// Has a thread of its own answer until its line ends.
  private static func thread(_ answer: @escaping @Sendable (ThreadLine) -> Void) throws(SystemError) -> Conversation {
    let line = try ThreadLine.made(named: "thread")
    let there = line.there
    try Lane().run { answer(there) }
    return line.here
  }
}

/// What a helper complains of, cut into lines; so many and no more.
final class ComplaintLines {
  static let most = 40
  static let longest = 400

  private let tell: (String) -> Void
  private var line: [UInt8] = []
  private var count = 0

  init(_ tell: @escaping (String) -> Void) { self.tell = tell }

  deinit { if !line.isEmpty { finish() } }

  func take(_ bytes: UnsafeRawBufferPointer) {
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
      if !line.isEmpty { tell(String(decoding: line, as: UTF8.self)) }
    } else {
      tell("(more of it is left out)")
    }
    line = []
  }
}
