import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import SeaKit
import SeaStudio
import ServiceLifecycle
import UnixSignals

/// Serves the pages of a database to the browser of this user, until its last tab is closed.
@main
enum Main {
  static let usage = "usage: sea-studio [--read-only] [--no-open] [--version] [--help]"

  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
      exit(0)
    } catch let stop as Stop {
      Say.error("sea-studio: \(stop.text)")
      exit(stop.status)
    } catch let error as SeaError {
      Say.error("sea-studio: error[\(error.code)]: \(error.message)")
      exit(error.code == .noDatabase ? 10 : error.code == .unsafeDirectory || error.code == .denied ? 7 : 12)
    } catch {
      Say.error("sea-studio: \(error)")
      exit(12)
    }
  }

  struct Stop: Error {
    let status: Int32
    let text: String
  }

  private static func run(_ arguments: [String]) async throws {
    var (isReadOnly, opens) = (false, true)
    for argument in arguments {
      switch argument {
      case "--read-only": isReadOnly = true
      case "--no-open": opens = false
      case "--help", "-h": return print(usage)
      case "--version": return print("sea-studio 1")
      default: throw Stop(status: 2, text: "unknown argument '\(argument)'\n\(usage)")
      }
    }
    var options = Database.Options()
    (options.isReadOnly, options.programName) = (isReadOnly, "sea studio")
    let folder = getenv("SEA_DIR").map { String(cString: $0) } ?? "."
    let database = try await Database.open(folder.isEmpty ? "." : folder, options)
    _ = try await database.instance()
    try await serve(database, isReadOnly: isReadOnly, opens: opens)
    await database.close()
  }

  private static func serve(_ database: Database, isReadOnly: Bool, opens: Bool) async throws {
    let address = Gate.randomAddress()
    let site = Site()
    var quiet = Logger(label: "sea-studio") { StreamLogHandler.standardError(label: $0) }
    quiet.logLevel = .critical
    let responder = Responder(site: site)
    let application = Application(
      responder: responder,
      server: .http1(configuration: .init(idleTimeout: .seconds(120))),
      configuration: .init(address: .hostname(address, port: 0), backlog: 64),
      onServerRunning: { channel in
        guard let port = channel.localAddress?.port else { return }
        let gate = Gate(host: "\(address):\(port)", isReadOnly: isReadOnly)
        site.open(Studio(database, gate))
        guard let place = gate.address else { return }
        Say.result(place)
        if !opens || !Browser.open(place) { Say.error("Open this address in a browser. It is valid once.") }
        Say.error("To end sea studio, press Ctrl-C, or close its last tab.")
      }, logger: quiet)
    var configuration = ServiceGroupConfiguration(
      services: [
        .init(service: application),
        .init(service: Presence(site: site), successTerminationBehavior: .gracefullyShutdownGroup),
      ], gracefulShutdownSignals: [.sigterm, .sigint, .sighup], logger: quiet)
    configuration.maximumGracefulShutdownDuration = .seconds(3)
    do { try await ServiceGroup(configuration: configuration).run() } catch {
      if site.studio == nil { throw Stop(status: 12, text: "cannot listen on \(address): \(error)") }
    }
  }
}

/// Writes lines at once, whether or not a terminal reads them.
private enum Say {
  static func result(_ text: String) { line(text, 1) }
  static func error(_ text: String) { line(text, 2) }

  private static func line(_ text: String, _ file: Int32) {
    let bytes = Array((text + "\n").utf8)
    _ = write(file, bytes, bytes.count)
  }
}

/// Ends the server after a signal, or some time after the last page was closed.
private struct Presence: Service {
  let site: Site

  /// How long the server stays after the last tab. A browser without scripts has no connection, so its time is longer.
  private static let patience = (afterTab: Duration.seconds(90), without: Duration.seconds(3600))

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(1))
        guard let presence = site.studio?.presence, presence.connections == 0 else { continue }
        let patience = presence.hasConnected ? Presence.patience.afterTab : Presence.patience.without
        if ContinuousClock.now - presence.last > patience { break }
      }
    }
    site.studio?.end()
  }
}
