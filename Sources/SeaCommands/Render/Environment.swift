import SeaEngine
import SeaSystem

/// The environment that a command runs in, except for its streams. Tests replace it.
package struct Environment {
  /// The maximum length of a password in bytes.
  package static let longestPassword = 1 << 20

  package var variable: (String) -> String?
  package var directory: () throws -> String
  package var now: () -> Milliseconds
  package var random: (Int) throws -> [UInt8]
  /// Returns whether descriptor 0, 1 or 2 is a terminal.
  package var isTerminal: (Int32) -> Bool
  package var columns: (Int32) -> Int?
  /// Returns the offset of local time from UTC at a Unix time, in seconds.
  package var offset: (Int64) -> Int
  package var executable: () -> String?
  package var exists: (String) -> Bool
  package var isExecutable: (String) -> Bool
  /// Replaces this process with a program. Throws if that fails.
  package var replaceProcess: (Program) throws -> Void
  /// Runs a program until it exits. The closure, if given, receives the standard error of the program.
  package var run: (Program, ((UnsafeRawBufferPointer) -> Void)?) throws -> Launch.Ending
  /// Runs a program without input. Returns its exit status and its first line of output; nil if the line is too long
  /// for a password.
  package var answer: (Program) throws -> (line: [UInt8]?, status: Int32)
  /// Starts a program that receives all further output.
  package var openOutlet: (Program) throws -> Outlet = { try Outlet($0.launch) }
  /// Prompts at the terminal and reads a line without echo. Returns nil if there is no terminal.
  package var ask: (String) throws -> [UInt8]?
  /// Prompts like `ask`, but with echo. Also returns nil after a stop signal.
  package var askOpenly: (String) throws -> [UInt8]?
  /// Returns monotonic nanoseconds.
  package var elapsed: () -> Int64 = Clock.monotonic
  /// Returns whether this process is in the foreground, so that it may write to the terminal of standard error.
  package var ownsTerminal: () -> Bool = { ThisProcess.isInForeground(2) }
  /// Waits until standard input is readable or standard output is writable. Returns true for standard input.
  package var readsFirst: () throws -> Bool = { try File.waits(toRead: .standardInput(), orWrite: .standardOutput()) }
  /// Registers (true) or unregisters (false) a terminal line that must be erased when the process ends.
  package var guardLine: (Bool) -> Void = TerminalLine.guards

  /// Begins catching stop signals. The text is shown to a person who presses the interrupt key.
  package var catchStops: (StaticString) -> Void = { Interruption.begin(says: $0) }
  /// Returns the caught stop signal, or nil.
  package var stopSignal: () -> Int32? = { Interruption.signal }

  /// Returns the value of an environment variable; nil if it is empty.
  func given(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

  var drawsAtTerminal: Bool { given("TERM").map { $0 != "dumb" } ?? false }

  package static func process() -> Environment {
    Environment(
      variable: ThisProcess.environment, directory: ThisProcess.currentDirectory, now: Clock.now, random: Random.bytes,
      isTerminal: ThisProcess.isTerminal,
      columns: { ThisProcess.environment("COLUMNS").flatMap { Int($0) } ?? ThisProcess.columns($0) },
      offset: ThisProcess.localOffset, executable: ThisProcess.executable,
      exists: { (try? Path.exists($0)) ?? false }, isExecutable: Path.isExecutable,
      replaceProcess: { program in
        for variable in program.variables { ThisProcess.setEnvironment(variable.name, variable.value) }
        if let directory = program.directory { try ThisProcess.changeDirectory(directory) }
        throw ThisProcess.execute(program.path, program.arguments, hiding: SecretVariables.contains)
      },
      run: { try $0.launch.run(hearing: $1) },
      answer: { try $0.launch.answer(limit: Environment.longestPassword) },
      ask: {
        try ControllingTerminal()?.ask(
          $0, limit: Environment.longestPassword, isOver: { Interruption.signal != nil })
      },
      askOpenly: {
        try ControllingTerminal()?.ask($0, limit: 4096, shows: true, isOver: { Interruption.signal != nil })
      })
  }
}

extension Environment {
  /// Makes this run stop at the next safe point after the first stop signal.
  func stopWell(_ options: GlobalOptions) {
    let wipe = isTerminal(2) && drawsAtTerminal
    let line: StaticString =
      options.quiet
      ? ""
      : options.json
        ? "{\"event\":\"notice\",\"message\":\"interrupted; press Ctrl-C again to stop immediately\"}\n"
        : wipe
          ? "\r\u{1B}[Kinterrupted; press Ctrl-C again to stop immediately\n"
          : "interrupted; press Ctrl-C again to stop immediately\n"
    catchStops(line)
  }

  /// Throws `Stopped` if a stop signal was caught. Call this only at safe points.
  func checkStop() throws(Stopped) { if stopSignal() != nil { throw Stopped() } }
}

/// A program to start. It does not inherit environment variables that contain secrets.
package struct Program: Equatable {
  package struct Variable: Equatable {
    package let name: String, value: String
  }

  package var path: String
  /// The arguments, including the program name as the first.
  package var arguments: [String]
  package var variables: [Variable] = []
  package var directory: String?
  package var input = Launch.Input.inherited
  package var printsToError = false
  package var limit: Int64?
  package var isWaitedFor = false
  package var kept: Int32?
  /// Whether to hide the environment variables of Sea and the location of the user's settings.
  package var hidesSettings = false

  fileprivate var launch: Launch {
    var launch = Launch(path, arguments)
    launch.variables = variables.map { ($0.name, $0.value) }
    launch.isHidden = SecretVariables.contains
    if hidesSettings { launch.isHidden = SecretVariables.containsOrSettings }
    launch.directory = directory
    launch.input = input
    launch.printsToError = printsToError
    launch.seconds = limit.map { Double($0) }
    launch.isWaitedFor = isWaitedFor
    launch.kept = kept
    return launch
  }
}

extension Program {
  package init(path: String, arguments: [String]) {
    self.init(path: path, arguments: arguments, variables: [])
  }
}
