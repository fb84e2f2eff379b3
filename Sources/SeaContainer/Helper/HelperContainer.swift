import SeaCore
import SeaSystem

/// A container that is reached through a helper. The helper knows only the paths of files, whereas this class knows
/// their meaning.
///
/// Files are listed on first use, and the listing is updated with changes made through this object. Changes made by
/// other instances, including new content of single files that were already read, become visible only after `forget`.
package final class HelperContainer: Container, NamedFiles {
  let place: HelperPlace
  private let helpers: Helpers
  private var connection: HelperConnection?
  var known: (names: ContainerNames, info: [UInt8]?, isThere: Bool)?
  /// The description of the container, set if only summary files have been listed so far.
  private(set) var hintedInfo: [UInt8]?
  /// The single files that have been read, kept because the end of a chain is read repeatedly.
  private var kept: [FilePlace: [UInt8]] = [:]
  private var room = HelperContainer.mostKept
  private static let mostKept = 1 << 20
  private(set) lazy var ahead = HelperAssets(self)

  package var location: String { place.location }
  package var isFar: Bool { true }

  package init(_ place: HelperPlace, _ helpers: Helpers) {
    self.place = place
    self.helpers = helpers
  }

  var isTimed: Bool { helpers.ends != .max }

  var isIdle: Bool { connection?.isIdle ?? true }

  package var requests: Int { connection?.requests ?? 0 }

  package var changes: Int { connection?.changes ?? 0 }

  /// Discards the listing, so that the next request lists the files again. If the helper has failed, it is restarted.
  package func forget() {
    (known, hintedInfo) = (nil, nil)
    forgetKept()
    if connection?.fault != nil { connection = nil }
  }

  package func close() {
    connection?.close()
    forget()
  }

  /// Ends the helper immediately. The next request starts a new helper.
  func drop() {
    connection?.drop()
    forget()
  }

  // MARK: The helper

  func line() throws(ContainerError) -> HelperConnection {
    if let connection { return connection }
    let (made, list, info) = try begin { ($0, $0.ask(.list(nil), sorts: true), ask(info: $0)) }
    known = try readListing(list, info)
    return made
  }

  /// Starts the helper and sends the first requests. If ssh exits before the greeting, it is restarted, because the
  /// network may be available again by then.
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
      let hints = isThere ? list.drainNames().small[.heads] ?? [:] : [:]
      return hints.mapValues { HintEntry(size: $0.size, changed: $0.time) }
    } catch {
      // Listing everything is still possible.
      guard case .helper(.refused, _) = error else { throw error }
      return nil
    }
  }

  private func ask(info line: HelperConnection) -> HelperTicket {
    line.ask(.get(Layout.info, offset: 0, count: Int64(ContainerInfo.largestFile) + 1))
  }

  private func readListing(
    _ list: HelperTicket, _ info: HelperTicket
  ) throws(ContainerError) -> (ContainerNames, [UInt8]?, Bool) {
    let isThere = try found(list)
    let bytes = try found(info) ? info.bytes : nil
    return (list.drainNames(), isThere ? bytes : nil, isThere)
  }

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

  /// Sends a request and waits for the answer. If the helper refuses the request because it is busy, it is repeated.
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

  // MARK: Listing

  package func names() throws(ContainerError) -> ContainerNames {
    if let known { return known.names }
    let line = try line()
    if let known { return known.names }
    let list = line.ask(.list(nil), sorts: true)
    guard let hintedInfo else {
      let looked = try readListing(list, ask(info: line))
      known = looked
      return looked.0
    }
    let isThere = try found(list)
    let names = list.drainNames()
    known = (names, isThere ? hintedInfo : nil, isThere)
    return names
  }

  package func names(of chain: BranchID, again: Bool) throws(ContainerError) -> ContainerNames {
    again ? try relist(at: chain) : try settle(chain)
    return try names()
  }

  func relist(at chain: BranchID) throws(ContainerError) {
    let names = try names()
    let folder = "\(Layout.transactions)/\(chain)"
    let ticket = try line().ask(.list(folder))
    _ = try found(ticket)
    names.forget(chain)
    for file in ticket.files where file.path.hasPrefix(folder + "/") { names.add(file) }
    forgetKept()
  }

  func updateKnown(_ place: FilePlace, _ entry: ContainerNames.Entry?) {
    if let entry { known?.names[place] = entry } else { known?.names[place] = nil }
    kept[place] = nil
  }

  private func forgetKept() {
    (kept, room) = ([:], HelperContainer.mostKept)
    ahead.forget()
  }

  func keep(_ place: FilePlace, _ bytes: [UInt8]) {
    guard bytes.count <= room else { return }
    room -= bytes.count
    kept[place] = bytes
  }

  func bytes(kept place: FilePlace) -> [UInt8]? { kept[place] }

  func infoBytes() throws(ContainerError) -> [UInt8]? {
    if known == nil, let hintedInfo { return hintedInfo }
    _ = try names()
    return known?.info
  }

  var isThere: Bool { known?.isThere ?? false }

  package func needContainer() throws(ContainerError) {
    guard try infoBytes() != nil else { throw .notAContainer(path: location) }
  }

  func setInfo(_ bytes: [UInt8]) {
    known?.info = bytes
    known?.isThere = true
  }

  // MARK: Files

  package func draft(_ place: FilePlace, replaces: Bool) -> (any FileDraft)? {
    HelperDraft(self, place, replaces: replaces)
  }

  package func bytes(of place: FilePlace, most: Int) throws(ContainerError) -> [UInt8]? {
    let bytes: [UInt8]?
    if place == .info {
      bytes = try infoBytes()
      if bytes == nil, !isThere { throw .missing(path: location) }
    } else {
      bytes = try call(.get(place.path, offset: 0, count: Int64(most) + 1))
    }
    guard bytes?.count ?? 0 <= most else { throw .badFile(.tooLarge, path: path(of: place.path)) }
    return bytes
  }

  package func flush() throws(ContainerError) { try call(.flush) }
}

package final class HelperDraft: FileDraft {
  private let container: HelperContainer
  private let place: FilePlace
  private let replaces: Bool
  private var bytes: [UInt8] = []

  init(_ container: HelperContainer, _ place: FilePlace, replaces: Bool) {
    (self.container, self.place, self.replaces) = (container, place, replaces)
  }

  package func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }

  package func commit() throws(ContainerError) -> Bool {
    let (path, size) = (place.path, Int64(bytes.count))
    do throws(ContainerError) {
      try container.call(replaces ? .replace(path, size: size) : .put(path, size: size), bytes)
    } catch {
      guard case .helper(.refused(.exists, _), _) = error, !replaces else { throw error }
      return false
    }
    container.updateKnown(place, .init(size: size, time: 0))
    if place == .info { container.setInfo(bytes) }
    return true
  }
}

extension HelperContainer {
  /// Requests the blocks that another instance has reported, without listing them first. The report is not trusted: if
  /// a block is missing, or for any other use of the chain, the folder is listed first.
  package func narrow(to news: [ChainNews], _ small: [SmallFolder]) throws(ContainerError) {
    guard let info = hintedInfo, known == nil else { return }
    let line = try line()
    let folders = news.filter { $0.blocks == nil }.map { "\(Layout.transactions)/\($0.branch)" } + small.map(\.rawValue)
    var sent: [(folder: String, ticket: HelperTicket)] = []
    for folder in folders { sent.append((folder, line.ask(.list(folder)))) }
    let names = ContainerNames()
    for one in sent where try found(one.ticket) {
      for file in one.ticket.files where file.path.hasPrefix(one.folder + "/") { names.add(file) }
    }
    for one in news {
      if let blocks = one.blocks { names.chains[one.branch] = ContainerNames.Chain(reportedBlocks: blocks) }
    }
    known = (names, info, true)
  }

  /// Lists the folder of a chain if its names have only been reported.
  func settle(_ chain: BranchID) throws(ContainerError) {
    if try names().chains[chain]?.reportedBlocks != nil { try relist(at: chain) }
  }
}

extension HelperContainer {
  package func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    var next = index
    var end = try reading(of: chain, folded: true, singles: true).run(from: index) { index, bytes in
      guard try body(index, bytes) else { return false }
      next = index + 1
      return true
    }
    switch end {
    case .end, .stopped: break
    case .gap, .incomplete, .damaged:
      // Other instances may have made changes since the listing.
      try relist(at: chain)
      end = try reading(of: chain, folded: true, singles: true).run(from: next, body)
    }
    return end
  }

  package func reading(of chain: BranchID, folded: Bool, singles: Bool) -> ChainReading {
    let window = BlockWindow()
    let (ahead, leaves) = (SinglesAhead(self, chain), FoldedAhead(self, chain))
    return ChainReading(
      open: { leaf, index throws(ContainerError) in
        if let index { return singles ? try ahead.open(leaf, index, window) : nil }
        return folded ? try leaves.open(leaf, window) : nil
      }, last: { () throws(ContainerError) in try self.lastIndex(of: chain) })
  }

  package func blocks(in place: FilePlace) throws(ContainerError) -> BlockFile? {
    guard WirePath.isPath(place.path), let entry = try names()[place] else { return nil }
    let bytes = FarBytes(self, place.path, size: entry.size)
    return BlockFile(bytes, size: Int(clamping: entry.size), window: BlockWindow())
  }

  package func setAside(_ place: FilePlace) throws(ContainerError) {
    let mark = try system { () throws(SystemError) in try Random.bytes(4) }
    let other = Layout.aside(place.path, Hex.text(mark))
    let entry = try names()[place]
    guard try call(.move(place.path, to: other)) != nil else { return updateKnown(place, nil) }
    updateKnown(place, nil)
    updateKnown(.other(other), entry)
  }
}

extension HelperContainer {
  package func read(
    _ place: FilePlace, _ range: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    guard let size = try names()[place]?.size else { return false }
    try ahead.read(place, range.clamped(to: 0..<size), of: size, body)
    return true
  }

  package func expect(_ places: [AssetPlace]) throws(ContainerError) { try ahead.expect(places) }

  /// Writes a file. An unfinished transfer starts over from the beginning.
  package func put(
    _ place: FilePlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    func piece() throws -> UnsafeRawBufferPointer {
      let room = Int(min(Int64(buffer.count), size - offset))
      let count = try source(offset, UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
      guard count > 0 else { throw ContainerError.badAsset(.ended, path: path(of: place.path)) }
      offset += Int64(count)
      return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }
    // If the source has no data, it must fail before the helper starts waiting for the data.
    let first = size > 0 ? try piece() : UnsafeRawBufferPointer(start: nil, count: 0)
    let line = try line()
    let ticket: HelperTicket
    do {
      ticket = try line.ask(.put(place.path, size: size)) { send in
        send(first)
        while offset < size, line.fault == nil { send(try piece()) }
      }
    } catch {
      drop()
      throw error
    }
    do throws(HelperFault) { try line.finish(ticket) } catch {
      guard case .refused(.exists, _) = error else { throw ContainerError.helper(error, place: location) }
      return false
    }
    updateKnown(place, .init(size: size, time: 0))
    return true
  }
}

extension HelperContainer {
  func path(of name: String) -> String { Path.join(location, name) }

  package func makeDurable(deep: Bool) throws(ContainerError) {
    _ = try names()
    if isThere { try flush() }
  }
}

extension HelperContainer {
  package func put(_ files: [(place: FilePlace, bytes: [UInt8])]) throws(ContainerError) -> [Bool] {
    let line = try line()
    let sent = files.map { file in
      file.bytes.withUnsafeBytes { line.ask(.put(file.place.path, size: Int64($0.count)), $0) }
    }
    var written: [Bool] = []
    for (file, ticket) in zip(files, sent) {
      var isWritten = true
      do throws(HelperFault) { try line.finish(ticket) } catch {
        switch error {
        case .refused(.exists, _): isWritten = false
        case .refused(.busy, _): isWritten = try put(file.place, file.bytes)
        default: throw .helper(error, place: location)
        }
      }
      updateKnown(file.place, .init(size: Int64(file.bytes.count), time: 0))
      written.append(isWritten)
    }
    return written
  }

  /// Does nothing, because the helper makes the files durable no later than the next `flush`.
  package func adopt(_ places: [FilePlace]) {}

  package func delete(_ places: [FilePlace]) throws(ContainerError) {
    let places = places.filter { WirePath.isPath($0.path) }
    if places.isEmpty { return }
    let line = try line()
    var sent: [HelperTicket] = []
    for place in places { sent.append(line.ask(.delete(place.path))) }
    for (place, ticket) in zip(places, sent) {
      _ = try found(ticket)
      updateKnown(place, nil)
    }
  }

  package var isAppendOnly: Bool {
    get throws(ContainerError) { try line().words.contains(ServerWire.Right.append.rawValue) }
  }
}

extension ContainerNames {
  func add(_ file: WireFile) { add(file.path, size: file.size, time: file.time) }
}
