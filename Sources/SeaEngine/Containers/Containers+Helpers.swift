import SeaContainer
import SeaSystem

extension Containers {
  /// What reaches containers elsewhere.
  /// - Parameters:
  ///   - find: the path of a program, by its name.
  ///   - variable: the value of an environment variable.
  ///   - isHidden: variables that the programs are not told.
  ///   - complains: told what they write to standard error, a line at a time, as they wrote it.
  package static func helpers(
    find: @escaping (String) -> String?, variable: @escaping (String) -> String?,
    isHidden: @escaping (String) -> Bool, complains: @escaping (_ place: String, _ line: String) -> Void
  ) -> Helpers {
    let helpers = Helpers(find: find)
    helpers.variable = variable
    helpers.isHidden = isHidden
    helpers.complains = complains
    if let seconds = variable("SEA_HELPER_TIMEOUT").flatMap(Quantity.duration), seconds > 0 {
      helpers.silence = Int(min(seconds, 86_400))
    }
    return helpers
  }

  /// How fast bytes go to helpers that are started from now on, and come from them; and until when they are waited for.
  /// - Parameter ends: monotonic nanoseconds; nil for as long as it takes.
  package static func pace(_ helpers: Helpers, _ throttle: Throttle?, until ends: Int64?) {
    (helpers.throttle, helpers.ends) = (throttle, ends ?? .max)
  }

  /// How much is done at once from now on: requests of each helper that is started, and threads here that share one piece of work.
  package static func bound(_ helpers: Helpers, jobs: Int) {
    helpers.jobs = jobs
    ThisProcess.useThreads(most: jobs)
  }

  /// Whether a text names the place of a container and is no path.
  package static func isElsewhere(_ text: String) -> Bool { HelperPlace.scheme(of: text) != nil }

  /// Takes leave of all helpers that run.
  package static func close(_ helpers: Helpers) { helpers.close() }

  /// Holds the helper for a location against the protocol; the place is to be empty, and is so again afterwards.
  /// - Parameter tell: told of each check: its name, and what was not as it should be.
  /// - Throws: `placeNotEmpty`.
  package static func test(
    _ location: String, _ helpers: Helpers, _ tell: (_ check: String, _ fault: String?) throws -> Void
  ) throws {
    // What no helper has is told as anywhere.
    _ = try at(location, helpers)
    do {
      try HelperTrial(location, helpers).run { try tell($0.name, $0.fault) }
    } catch is HelperTrial.NotEmpty {
      throw KitError.placeNotEmpty(location)
    }
  }

  /// Gives a folder to whoever asks through two files, until he takes leave.
  /// - Throws: `databaseExists`, `placeInDatabase`, `placeInContainer` if no container should lie there.
  package static func serve(_ path: String, appendOnly: Bool, readOnly: Bool, _ input: File, _ output: File) throws {
    try Location.checkContainer(path)
    if !Location.isContainer(path) { try Location.checkFree(of: path) }
    let right: FolderServer.Right = readOnly ? .read : appendOnly ? .append : .everything
    try FolderServer(path, right, ServerWire(reading: input, writing: output)).run()
  }
}
