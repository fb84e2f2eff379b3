import SeaEngine
import SeaSystem

/// The environment of a command besides its streams. Tests replace it.
package struct Surroundings {
  /// The longest password in bytes.
  package static let longestPassword = 1 << 20

  package var variable: (String) -> String?
  /// Returns the absolute path of the current directory.
  package var directory: () throws -> String
  package var now: () -> Milliseconds
  package var random: (Int) throws -> [UInt8]
  /// Returns whether descriptor 0, 1 or 2 is a terminal.
  package var isTerminal: (Int32) -> Bool
  /// Returns the width of the terminal of descriptor 1 or 2.
  package var columns: (Int32) -> Int?
  /// Returns the seconds from UTC to local time at a Unix time.
  package var offset: (Int64) -> Int
  package var executable: () -> String?
  package var exists: (String) -> Bool
  package var isExecutable: (String) -> Bool
  /// Replaces this process. Returns only by throwing.
  package var become: (Program) throws -> Void
  /// Runs a program to its end and passes on what it writes to standard error, if there is a closure.
  package var run: (Program, ((UnsafeRawBufferPointer) -> Void)?) throws -> Launch.Ending
  /// Runs a program without input; returns its exit status and its first line, nil if too long for a password.
  package var answer: (Program) throws -> (line: [UInt8]?, status: Int32)
  /// Starts a program that receives all further output.
  package var openOutlet: (Program) throws -> Outlet = { try Outlet($0.launch) }
  /// Shows a prompt at the terminal and reads a line without echo; nil if there is no terminal.
  package var ask: (String) throws -> [UInt8]?
  /// Like `ask`, with echo; also nil if a stop signal was caught.
  package var askOpenly: (String) throws -> [UInt8]?
  /// Monotonic nanoseconds.
  package var elapsed: () -> Int64 = Clock.monotonic
  /// Returns whether this process may write to the terminal of standard error, because it is in the foreground.
  package var ownsTerminal: () -> Bool = { ThisProcess.isInForeground(2) }
  /// Waits until standard input is readable or standard output is writable; returns true for the former.
  package var readsFirst: () throws -> Bool = { try File.waits(toRead: .standardInput(), orWrite: .standardOutput()) }
  /// Registers (true) or unregisters a line of the terminal that must be erased when the process ends.
  package var guardLine: (Bool) -> Void = TerminalLine.guards

  /// Catches the first stop signal; the text is for the person who pressed the key.
  package var catchStops: (StaticString) -> Void = { Interruption.begin(says: $0) }
  /// Returns the caught signal, once it has arrived.
  package var stopSignal: () -> Int32? = { Interruption.signal }

  /// Returns the value of a variable; nil if it is empty.
  func given(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether the terminal supports cursor movement.
  var drawsAtTerminal: Bool { given("TERM").map { $0 != "dumb" } ?? false }

  /// Returns the environment of this process.
  package static func process() -> Surroundings {
    Surroundings(
      variable: ThisProcess.environment, directory: ThisProcess.currentDirectory, now: Clock.now, random: Random.bytes,
      isTerminal: ThisProcess.isTerminal,
      columns: { ThisProcess.environment("COLUMNS").flatMap { Int($0) } ?? ThisProcess.columns($0) },
      offset: ThisProcess.localOffset, executable: ThisProcess.executable,
      exists: { (try? Path.exists($0)) ?? false }, isExecutable: Path.isExecutable,
      become: { program in
        for variable in program.variables { ThisProcess.setEnvironment(variable.name, variable.value) }
        if let directory = program.directory { try ThisProcess.changeDirectory(directory) }
        throw ThisProcess.execute(program.path, program.arguments, hiding: SecretVariables.contains)
      },
      run: { try $0.launch.run(hearing: $1) },
      answer: { try $0.launch.answer(limit: Surroundings.longestPassword) },
      ask: {
        try ControllingTerminal()?.ask(
          $0, limit: Surroundings.longestPassword, isOver: { Interruption.signal != nil })
      },
      askOpenly: {
        try ControllingTerminal()?.ask($0, limit: 4096, shows: true, isOver: { Interruption.signal != nil })
      })
  }
}

extension Surroundings {
  /// Lets this run stop at the next safe point after the first stop signal.
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

  /// Throws if a stop signal was caught. Call it only at safe points.
  func checkStop() throws(Stopped) { if stopSignal() != nil { throw Stopped() } }
}

/// A program to start. It does not inherit the variables with secrets.
package struct Program: Equatable {
  package struct Variable: Equatable {
    package let name: String, value: String
  }

  package var path: String
  /// The arguments, beginning with the program's name.
  package var arguments: [String]
  /// Variables to set in addition to the existing ones.
  package var variables: [Variable] = []
  /// The working directory; nil for the current one.
  package var directory: String?
  package var input = Launch.Input.inherited
  /// Whether its standard output goes to standard error.
  package var printsToError = false
  /// The time limit in seconds.
  package var limit: Int64?
  /// Whether the first stop signal waits for the program; only with a limit.
  package var isWaitedFor = false
  /// A further descriptor that stays open for it.
  package var kept: Int32?
  /// Whether to hide the variables of Sea and the location of the user's settings.
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
