import SeaEngine
import SeaSystem

/// What a command can see and do besides its streams. Tests put their own in its place.
package struct Surroundings {
  /// In bytes.
  package static let longestPassword = 1 << 20

  /// The value of an environment variable.
  package var variable: (String) -> String?
  /// The current directory, absolute.
  package var directory: () throws -> String
  package var now: () -> Milliseconds
  package var random: (Int) throws -> [UInt8]
  /// Whether descriptor 0, 1 or 2 is a terminal.
  package var isTerminal: (Int32) -> Bool
  /// The width of the terminal behind descriptor 1 or 2.
  package var columns: (Int32) -> Int?
  /// Seconds that local time is ahead of UTC at a Unix time.
  package var offset: (Int64) -> Int
  /// The path of the running program.
  package var executable: () -> String?
  package var exists: (String) -> Bool
  package var isExecutable: (String) -> Bool
  /// Replaces this process. Comes back only to fail.
  package var become: (Program) throws -> Void
  /// Runs a program to its end; what it writes to standard error is told, if somebody is to be told.
  package var run: (Program, ((UnsafeRawBufferPointer) -> Void)?) throws -> Launch.Ending
  /// Runs a program that has nothing to read to its end: the first line that it prints, nil if that is longer than a
  /// password can be, and its exit status.
  package var answer: (Program) throws -> (line: [UInt8]?, status: Int32)
  /// Starts a program that reads what is written from now on.
  package var openOutlet: (Program) throws -> Outlet = { try Outlet($0.launch) }
  /// Shows a prompt at the terminal and reads a line unseen; nil if there is no terminal.
  package var ask: (String) throws -> [UInt8]?
  /// The same for what may be seen as it is typed; nil too if this process was asked to stop, and catches that.
  package var askOpenly: (String) throws -> [UInt8]?
  /// Nanoseconds since some instant; never goes back.
  package var elapsed: () -> Int64 = Clock.monotonic
  /// Whether this process may write to the terminal behind standard error: not while it runs in the background.
  package var ownsTerminal: () -> Bool = { ThisProcess.isInForeground(2) }
  /// Waits until there is something to read at standard input, or standard output takes something: true if it is to be read.
  package var readsFirst: () throws -> Bool = { try File.waits(toRead: .standardInput(), orWrite: .standardOutput()) }
  /// Says that a line at that terminal is not to stay, whatever ends this process; and that it is gone.
  package var guardLine: (Bool) -> Void = TerminalLine.guards

  /// Has the first signal that asks this process to stop noted instead of obeyed; the text is for who has pressed the key.
  package var catchStops: (StaticString) -> Void = { Interruption.begin(says: $0) }
  /// That signal, once it has come.
  package var stopSignal: () -> Int32? = { Interruption.signal }

  /// The value of a variable that is not empty.
  func given(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether a terminal can do more than a typewriter.
  var drawsAtTerminal: Bool { given("TERM").map { $0 != "dumb" } ?? false }

  /// The real ones.
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
  /// From now on this run stops at a good place when it is asked to, the first time.
  func stopWell(_ options: GlobalOptions) {
    let wipe = isTerminal(2) && drawsAtTerminal
    let line: StaticString =
      options.quiet
      ? ""
      : options.json
        ? "{\"event\":\"notice\",\"message\":\"interrupted; again to stop now\"}\n"
        : wipe ? "\r\u{1B}[Kinterrupted; again to stop now\n" : "interrupted; again to stop now\n"
    catchStops(line)
  }

  /// Nothing is half done here.
  func checkStop() throws(Stopped) { if stopSignal() != nil { throw Stopped() } }
}

/// A program to start or to become. It is not told of the variables in which secrets stand.
package struct Program: Equatable {
  package struct Variable: Equatable {
    package let name: String, value: String
  }

  package var path: String
  /// With the program's name in front.
  package var arguments: [String]
  /// Variables to set besides the ones there are.
  package var variables: [Variable] = []
  /// Where to start it; nil for the current directory.
  package var directory: String?
  package var input = Launch.Input.inherited
  /// Whether what it prints goes to standard error.
  package var printsToError = false
  /// How long it may take, in seconds.
  package var limit: Int64?
  /// With a limit: the first signal that ends this process waits for it.
  package var isWaitedFor = false
  /// A descriptor that it has open, too.
  package var kept: Int32?
  /// Whether it is told nothing of what variables say of Sea, nor where this user's settings lie.
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
