import SeaCore
import SeaSystem

/// A container that a helper reaches: it knows files by their paths, and this knows what they are.
///
/// What there is was listed when it was first asked for; what this object has written since is added. Somebody else's news
/// are seen after `forget`, and so are other bytes in a small file of a block that was read before.
package final class HelperContainer: HintedContainer {
  let place: HelperPlace
  private let helpers: Helpers
  private var connection: HelperConnection?
  var known: (names: HelperNames, info: [UInt8]?, isThere: Bool)?
  /// What the container says of itself, where only hints were listed so far.
  private(set) var hintedInfo: [UInt8]?
  /// The files of single blocks that were read since: the end of a chain is looked at more than once.
  private var kept: [HelperNames.Meaning: [UInt8]] = [:]
  private var room = HelperContainer.mostKept
  private static let mostKept = 1 << 20
  private(set) lazy var ahead = HelperAssets(self)

  package var location: String { place.location }
  package var isFar: Bool { true }

  package init(_ place: HelperPlace, _ helpers: Helpers) {
    self.place = place
    self.helpers = helpers
  }

  /// Whether the run has no more than some time.
  var isTimed: Bool { helpers.ends != .max }

  /// Whether nobody is in the middle of a conversation with the helper.
  var isIdle: Bool { connection?.isIdle ?? true }

  /// How many requests were sent to the helper that runs now.
  package var requests: Int { connection?.requests ?? 0 }

  package var changes: Int { connection?.changes ?? 0 }

  /// Has what there is listed again when it is asked for. A helper that failed is started again.
  package func forget() {
    (known, hintedInfo) = (nil, nil)
    forgetKept()
    if connection?.fault != nil { connection = nil }
  }

  /// Takes leave of the helper.
  package func close() {
    connection?.close()
    forget()
  }

  /// Ends the helper in the middle of what it does; the next request starts another one.
  func drop() {
    connection?.drop()
    forget()
  }

  // MARK: The helper

  func line() throws(ContainerError) -> HelperConnection {
    if let connection { return connection }
    let (made, list, info) = try begin { ($0, $0.ask(.list(nil), sorts: true), ask(info: $0)) }
    known = try look(list, info)
    return made
  }

  /// Starts the helper and asks at once. An ssh that ends before it says anything is started again: its network may be back.
  private func begin<Asked>(_ ask: (HelperConnection) -> Asked) throws(ContainerError) -> Asked {
    var retries = Retries()
    while true {
      let made = try helpers.start(place)
      connection = made
      let greeting = made.greet()
      let asked = ask(made)
      do throws(HelperFault) {
        try made.finish(greeting)
        return asked
      } catch {
        guard case .ended(_, greeted: false) = error, place.scheme == SSHPlace.scheme, !helpers.isDenied(at: place),
          let pause = retries.next(), Clock.monotonic() + pause < helpers.ends, !helpers.isStopped()
        else { throw .helper(error, place: location) }
        Clock.sleep(nanoseconds: pause)
      }
    }
  }

  package func listHints(first: Bool) throws(ContainerError) -> [String: HintEntry]? {
    guard !first || known == nil else { return nil }
    func ask(_ line: HelperConnection) -> (HelperTicket, HelperTicket?) {
      (line.ask(.list(SmallFolder.heads.rawValue), sorts: true), first ? self.ask(info: line) : nil)
    }
    let (list, info): (HelperTicket, HelperTicket?)
    if let connection { (list, info) = ask(connection) } else { (list, info) = try begin(ask) }
    do throws(ContainerError) {
      let isThere = try found(list)
      if let info, try found(info) { hintedInfo = info.bytes }
      let hints = isThere ? list.takeNames().small[.heads] ?? [:] : [:]
      return hints.mapValues { HintEntry(size: $0.size, changed: $0.time) }
    } catch {
      // Everything can be listed all the same.
      guard case .helper(.refused, _) = error else { throw error }
      return nil
    }
  }

  private func ask(info line: HelperConnection) -> HelperTicket {
    line.ask(.get(Layout.info, offset: 0, count: Int64(ContainerInfo.largestFile) + 1))
  }

  private func look(
    _ list: HelperTicket, _ info: HelperTicket
  ) throws(ContainerError) -> (HelperNames, [UInt8]?, Bool) {
    let isThere = try found(list)
    let bytes = try found(info) ? info.bytes : nil
    return (list.takeNames(), isThere ? bytes : nil, isThere)
  }

  /// Waits for an answer; false if there is nothing of that name.
  func found(_ ticket: HelperTicket) throws(ContainerError) -> Bool {
    do throws(HelperFault) {
      if let connection {
        try connection.finish(ticket)
      } else {
        try (ticket.outcome ?? .failure(.silent(seconds: 0))).get()
      }
      return true
    } catch {
      if case .refused(.notFound, _) = error { return false }
      throw .helper(error, place: location)
    }
  }

  /// A request whose answer is waited for. One that is refused because the other side is busy is made again.
  /// - Returns: nil if there is nothing of that name.
  @discardableResult
  func call(_ request: Wire.Request, _ body: [UInt8]? = nil) throws(ContainerError) -> [UInt8]? {
    var retries = Retries()
    while true {
      let line = try line()
      let ticket = body.map { $0.withUnsafeBytes { line.ask(request, $0) } } ?? line.ask(request)
      do throws(HelperFault) {
        try line.finish(ticket)
        return ticket.bytes
      } catch {
        if case .refused(.notFound, _) = error { return nil }
        guard case .refused(.busy, _) = error, let pause = retries.next() else {
          throw .helper(error, place: location)
        }
        Clock.sleep(nanoseconds: pause)
      }
    }
  }

  // MARK: What there is

  func names() throws(ContainerError) -> HelperNames {
    if let known { return known.names }
    let line = try line()
    if let known { return known.names }
    let list = line.ask(.list(nil), sorts: true)
    guard let hintedInfo else {
      let looked = try look(list, ask(info: line))
      known = looked
      return looked.0
    }
    let isThere = try found(list)
    let names = list.takeNames()
    known = (names, isThere ? hintedInfo : nil, isThere)
    return names
  }

  /// Has the files of a chain listed again.
  func lookAgain(at chain: BranchID) throws(ContainerError) {
    _ = try names()
    let ticket = try line().ask(.list("\(Layout.transactions)/\(chain)"))
    _ = try found(ticket)
    known?.names.look(again: chain, ticket.files)
    forgetKept()
  }

  /// Notes what this object has changed.
  func note(_ place: HelperNames.Meaning, _ entry: HelperNames.Entry?) {
    if let entry { known?.names[place] = entry } else { known?.names[place] = nil }
    kept[place] = nil
  }

  private func forgetKept() {
    (kept, room) = ([:], HelperContainer.mostKept)
    ahead.forget()
  }

  func keep(_ place: HelperNames.Meaning, _ bytes: [UInt8]) {
    guard bytes.count <= room else { return }
    room -= bytes.count
    kept[place] = bytes
  }

  func bytes(kept place: HelperNames.Meaning) -> [UInt8]? { kept[place] }

  /// Nil if there is nothing that speaks for a container.
  func infoBytes() throws(ContainerError) -> [UInt8]? {
    if known == nil, let hintedInfo { return hintedInfo }
    _ = try names()
    return known?.info
  }

  var isThere: Bool { known?.isThere ?? false }

  /// What chains say of their ends is worked out once.
  func range(of chain: BranchID) throws(ContainerError) -> (first: UInt32, last: UInt32)? {
    _ = try names()
    return known?.names.chains[chain]?.range()
  }

  func needContainer() throws(ContainerError) {
    guard try infoBytes() != nil else { throw .notAContainer(path: location) }
  }

  func setInfo(_ bytes: [UInt8]) {
    known?.info = bytes
    known?.isThere = true
    note(.info, .init(size: Int64(bytes.count), time: Clock.now()))
  }

  // MARK: Files

  /// Writes a file that is not there. False if it is, or something else is in its place.
  func put(_ place: HelperNames.Meaning, _ bytes: [UInt8]) throws(ContainerError) -> Bool {
    do throws(ContainerError) {
      try call(.put(place.path, size: Int64(bytes.count)), bytes)
    } catch {
      guard case .helper(.refused(.exists, _), _) = error else { throw error }
      return false
    }
    note(place, .init(size: Int64(bytes.count), time: 0))
    return true
  }

  func replace(_ place: HelperNames.Meaning, _ bytes: [UInt8]) throws(ContainerError) {
    try call(.replace(place.path, size: Int64(bytes.count)), bytes)
    note(place, .init(size: Int64(bytes.count), time: 0))
  }

  /// Nil if it is not there, or has more bytes than that.
  func get(_ place: HelperNames.Meaning, most: Int) throws(ContainerError) -> [UInt8]? {
    guard let bytes = try call(.get(place.path, offset: 0, count: Int64(most) + 1)) else { return nil }
    return bytes.count > most ? nil : bytes
  }

  func delete(_ place: HelperNames.Meaning) throws(ContainerError) {
    try call(.delete(place.path))
    note(place, nil)
  }

  /// What was answered so far survives a loss of power when this returns.
  func flush() throws(ContainerError) { try call(.flush) }
}
