import SeaCore
import SeaSystem

/// Holds a helper against sea-helpers(5), in a place that is empty before and afterwards.
package final class HelperTrial {
  package struct Check: Sendable {
    package let name: String
    /// What was not as it should be; nil if all was.
    package let fault: String?
  }

  /// What a check throws that found something.
  struct Wrong: Error {
    let what: String
    init(_ what: String) { self.what = what }
  }

  /// The check of those that tell what appears.
  private static let news = "news"

  /// There is something at the place, which is not touched.
  package struct NotEmpty: Error {}

  static let chain = BranchID(
    UUID(high: 0x5EA0_0000_0000_4000, low: 0x8000_0000_0000_0001), forkedAt: Digest.zero)

  let helpers: Helpers
  let place: HelperPlace
  private(set) var words: Set<String> = []
  private var connection: HelperConnection?

  /// The checks that are done, by name; nil for all.
  package var only: Set<String>?

  package init(_ location: String, _ helpers: Helpers) throws {
    guard let place = HelperPlace(location) else { throw ContainerError.helper(.badPlace, place: location) }
    (self.place, self.helpers) = (place, helpers)
  }

  /// - Parameter tell: told of each check as it is done.
  /// - Throws: `NotEmpty`, what `tell` throws, and `ContainerError` if nobody answers at all.
  package func run(_ tell: (Check) throws -> Void) throws {
    try begin()
    let writes = !words.contains(FolderServer.readOnly) && !words.contains(FolderServer.appendOnly)
    defer { if writes { try? clean() } }
    for (name, isForAll, check) in checks where (isForAll || writes) && only?.contains(name) ?? true {
      if name == HelperTrial.news, !words.contains(FolderServer.await) { continue }
      var fault: String?
      do { try check() } catch let wrong as Wrong { fault = wrong.what } catch let error as HelperFault {
        fault = HelperTrial.words(of: error)
      } catch ContainerError.helper(let error, _) {
        fault = HelperTrial.words(of: error)
      } catch {
        fault = "\(error)"
      }
      if fault != nil { connection = nil }
      try tell(Check(name: name, fault: fault))
    }
  }

  private var checks: [(String, Bool, () throws -> Void)] {
    [
      ("missing", true, missing), ("unknown", true, unknown), ("put", false, put), ("range", false, range),
      ("once", false, once), ("list", false, list), ("order", false, order), ("replace", false, replace),
      ("move", false, move), ("delete", false, delete), ("large", false, large), ("anew", false, anew),
      ("container", false, container), (HelperTrial.news, false, news), ("farewell", true, farewell),
      ("end of input", true, endOfInput),
    ]
  }

  // MARK: Talking

  private func begin() throws {
    let line = try helpers.start(place)
    do throws(HelperFault) { try line.finish(line.greet()) } catch {
      throw ContainerError.helper(error, place: place.location)
    }
    (connection, words) = (line, line.words)
    if try !files().isEmpty { throw NotEmpty() }
  }

  func line() throws -> HelperConnection {
    if let connection, connection.fault == nil { return connection }
    let line = try helpers.start(place)
    try line.finish(line.greet())
    connection = line
    return line
  }

  func ask(_ request: Wire.Request, _ body: [UInt8]? = nil) throws -> [UInt8] {
    let line = try line()
    let ticket = body.map { $0.withUnsafeBytes { line.ask(request, $0) } } ?? line.ask(request)
    try line.finish(ticket)
    return ticket.bytes
  }

  /// The code of a refusal, nil for `ok`.
  func refusal(_ request: Wire.Request, _ body: [UInt8]? = nil) throws -> WireCode? {
    do { _ = try ask(request, body) } catch let error as HelperFault {
      guard case .refused(let code, _) = error else { throw error }
      return code
    }
    return nil
  }

  func files(_ folder: String? = nil) throws -> [WireFile] {
    let line = try line()
    let ticket = line.ask(.list(folder))
    do throws(HelperFault) { try line.finish(ticket) } catch {
      guard case .refused(.notFound, _) = error else { throw error }
    }
    return ticket.files.sorted { $0.path < $1.path }
  }

  func hangUp() throws -> Launch.Ending? {
    let line = try line()
    connection = nil
    return line.hangUp()
  }

  func path(_ index: UInt32) -> String { HelperNames.Meaning.block(HelperTrial.chain, index).path }

  func need(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
    if !isSo { throw Wrong(what()) }
  }

  func clean() throws {
    for file in try files() { _ = try ask(.delete(file.path)) }
    _ = try ask(.flush)
    try line().close()
    connection = nil
  }

  private static func words(of fault: HelperFault) -> String {
    switch fault {
    case .notStarted(let error): "it cannot be started: \(error.reason)"
    case .badPlace: "the location is none"
    case .ended(let status, _): "it ended with status \(status)"
    case .silent(let seconds): "it said nothing for \(seconds) s"
    case .version(let version): "it speaks version \(version)"
    case .late: "it took too long"
    case .unruly(let what): what
    case .refused(let code, let text): "it answered: error \(code.rawValue) \(text)"
    }
  }
}
