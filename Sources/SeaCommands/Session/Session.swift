import SeaEngine
import SeaSystem
import SeaWords

/// One run of the program: which database, and which settings, the command line and the surroundings come to.
package final class Session {
  package let host: Surroundings
  package let terminal: Terminal
  package let passwords: Passwords
  package var options = GlobalOptions() {
    didSet {
      terminal.options = options
      foundDirectory = nil
    }
  }
  /// What completion offers for a record, a type, a container and so on that begins with the given text. It may read
  /// the database, and neither locks nor visits containers.
  package var candidates: (ValueKind, String, CompletionContext?) throws -> [(word: String, meaning: String)] = {
    _, _, _ in []
  }
  /// The directory `.sea`, once it was found.
  var foundDirectory: String?
  /// The settings, once they were read.
  package var loadedConfig: Config?
  /// Whether the command needs no database: what lies around the current directory then says nothing. It may have come with
  /// the very container that is looked at.
  var standsAlone = false
  /// `--max-size` of the commands that take in bundles.
  var mostBundle: Int64?
  /// How much is moved between here and containers; nil for all.
  var allowance: Allowance?
  /// The database of this run, while a command uses it. Another one takes its place.
  var database: Database? { didSet { oldValue?.close() } }
  /// What reaches containers that are no folders here.
  private(set) lazy var helpers = makeHelpers()
  /// How often a merge program that nobody asked for in person has failed.
  var programFailures = 0

  package init(output: Output, talk: Output, input: Input, host: Surroundings) {
    self.host = host
    terminal = Terminal(output: output, talk: talk, input: input, host: host)
    passwords = Passwords(terminal)
    terminal.wantedDigits = { [unowned self] in
      do { return try config().integer("core.abbrev") } catch let error as ConfigError {
        // What is shown is right with another number of digits, too.
        terminal.warn(Failure.describing(error))
      } catch {}
      return nil
    }
    terminal.setting = { [unowned self] name in
      do { return try config().text(name) } catch let error as ConfigError {
        terminal.warn(Failure.describing(error))
      } catch {}
      return nil
    }
    passwords.setting = { [unowned self] in try ownSetting(PasswordSource.setting, [.system, .global, .local]) }
  }

  /// A moment from the command line.
  package func time(_ text: String) throws(UsageFault) -> Milliseconds {
    guard let time = TimeText.parse(text, now: host.now()) else { throw .badTime(text) }
    return time
  }

  /// A path from the command line, `-C` taken into account. Every path a user names goes through here.
  package func path(_ text: String) -> String { options.path(text) }

  /// The place of a container as settings keep it: a URL as it is, a path from the root.
  func location(_ text: String) throws -> String {
    Containers.isElsewhere(text) ? text : try Path.absolute(path(text))
  }

  /// The bytes behind a FILE operand; `-` is standard input.
  package func reader(_ name: String) throws -> Input {
    if name == "-" { return terminal.input }
    let file = try File.awaited(path(name))
    let before = try file.status()
    guard before.kind == .file else {
      return Input { buffer throws(SystemError) in try file.readAwaited(into: buffer) }
    }
    let report = terminal.workReport
    var work = Work(.reading, name, done: 0, of: before.size)
    return Input { buffer in
      let count = try file.readSome(into: buffer)
      if count == 0, try !file.status().isUnchanged(since: before) { throw KitError.fileChanged(name) }
      work.done += Int64(count)
      report?(work)
      return count
    }
  }
}
