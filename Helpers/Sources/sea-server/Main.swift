import Glibc
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import UnixSignals

@main
enum Main {
  static let usage = """
    usage: sea-server --config=FILE
           sea-server add-token --config=FILE [--append-only | --read-only | --metrics] [--days=N] NAME [CONTAINER...]
           sea-server --help | --version
    """

  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    // Tokens are reloaded automatically, and the server must continue when its terminal is closed.
    signal(SIGHUP, SIG_IGN)
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
      exit(0)
    } catch let fault as Fault {
      Log.line(fault.text)
      exit(fault.kind.rawValue)
    } catch {
      Log.line("\(error)")
      exit(Fault.Kind.unreachable.rawValue)
    }
  }

  private static func run(_ arguments: [String]) async throws {
    if arguments == ["--help"] || arguments == ["-h"] {
      print(usage)
    } else if arguments == ["--version"] {
      print("sea-server 1")
    } else if arguments.first == "add-token" {
      try AddToken.run(Array(arguments.dropFirst()))
    } else {
      guard arguments.count == 1, arguments[0].hasPrefix("--config=") else { throw Fault(.usage, usage) }
      try await serve(Settings(file: TextFile.absolute(String(arguments[0].dropFirst(9)))))
    }
  }

  private static func serve(_ settings: Settings) async throws {
    let tokens = try Tokens(settings.tokens)
    let settings = limited(settings)
    let (limits, metrics, connections) = (Limits(settings), Metrics(), Connections(settings))
    let engine = Engine(program: try program(settings), folder: settings.containers)
    guard engine.isThere else { throw Fault(.badData, "\(engine.folder): there is no such folder") }
    let news = News(engine, metrics)
    let gate = Gate(
      settings: settings, tokens: tokens, limits: limits, metrics: metrics, engine: engine, news: news,
      connections: connections)
    let announcement = Announcement()
    var quiet = Logger(label: "sea-server") { StreamLogHandler.standardError(label: $0) }
    quiet.logLevel = .critical
    let isSecure = settings.certificate != nil
    let address: BindAddress =
      switch settings.listen {
      case .host(let host, let port): .hostname(host, port: port)
      case .socket(let path): .unixDomainSocket(path: path)
      }
    let application = Application(
      responder: gate, server: builder(settings, isSecure ? try tls(settings) : nil, connections),
      configuration: .init(address: address, backlog: 1024),
      onServerRunning: { channel in
        let scheme = isSecure ? "https" : "http"
        let place = channel.localAddress.map { address in
          address.port.map { "\(scheme)://\(host(address.ipAddress ?? "")):\($0)" }
            ?? "\(scheme)+unix:\(address.pathname ?? "")"
        }
        Log.line("listening on \(place ?? scheme)")
        if let name = settings.announce, let port = channel.localAddress?.port {
          announcement.begin(name, port: port, isSecure: isSecure)
        }
      }, logger: quiet)
    var configuration = ServiceGroupConfiguration(
      // Services are ended in reverse order. The news service must be ended first, because connections that are waiting
      // for news would otherwise never end.
      services: [application, NewsService(news: news, tokens: tokens, announcement: announcement)],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
    configuration.maximumGracefulShutdownDuration = .seconds(settings.grace)
    do { try await ServiceGroup(configuration: configuration).run() } catch {
      throw Fault(.unreachable, "\(error)")
    }
    Log.line("ended")
  }

  /// Limits the number of connections according to the number of available file descriptors.
  private static func limited(_ settings: Settings) -> Settings {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return settings }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    // A process needs two descriptors, and four while it starts. The server itself needs a few more.
    let most = max(16, Int(min(limit.rlim_cur, 1 << 20)) - 4 * settings.processes - 256)
    guard settings.connections > most else { return settings }
    Log.line("the limit of open files allows only \(most) connections; raise the limit")
    var settings = settings
    settings.connections = most
    return settings
  }

  private static func builder(
    _ settings: Settings, _ tls: TLSConfiguration?, _ connections: Connections
  ) -> HTTPServerBuilder {
    HTTPServerBuilder { responder in
      let plain = HTTP1Channel(
        responder: responder,
        configuration: .init(
          idleTimeout: .seconds(Int64(settings.idle)),
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)))
      guard let tls else { return CountedChannel(base: plain, connections: connections) }
      return CountedChannel(base: try TLSChannel(plain, tlsConfiguration: tls), connections: connections)
    }
  }

  private static func host(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }

  private static func tls(_ settings: Settings) throws -> TLSConfiguration {
    do {
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(settings.certificate!).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: settings.key!, format: .pem)))
      configuration.minimumTLSVersion = .tlsv12
      return configuration
    } catch { throw Fault(.badData, "certificate or key: \(error)") }
  }

  /// Returns the path of `sea`, which is found in the settings, in the folder of this program, or through PATH.
  private static func program(_ settings: Settings) throws(Fault) -> String {
    func isProgram(_ path: String) -> Bool { access(path, X_OK) == 0 }
    if let sea = settings.sea {
      guard isProgram(sea) else { throw Fault(.badData, "\(sea): not an executable program") }
      return sea
    }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
    var folders: [String] = []
    if length > 0 {
      let own = String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
      folders.append(String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)]))
    }
    folders += (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
    guard let found = folders.map({ TextFile.absolute("\($0)/sea") }).first(where: isProgram) else {
      throw Fault(.badData, "program 'sea' not found beside sea-server or on PATH; set 'sea'")
    }
    return found
  }
}

/// Watches the tokens. When the server ends, also ends the connections that are waiting for news.
private struct NewsService: Service {
  let news: News
  let tokens: Tokens
  let announcement: Announcement

  func run() async throws {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await tokens.watch() }
      group.addTask { try? await gracefulShutdown() }
      await group.next()
      group.cancelAll()
    }
    announcement.end()
    news.end()
  }
}
