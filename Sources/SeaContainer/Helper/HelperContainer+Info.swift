import SeaCore
import SeaSystem

extension HelperContainer {
  package func info() throws(ContainerError) -> ContainerInfo {
    guard let bytes = try infoBytes() else {
      throw isThere ? .notAContainer(path: location) : .notThere(path: location)
    }
    return try ContainerInfo(bytes, path: path(of: Layout.info))
  }

  func path(of name: String) -> String { Path.join(location, name) }

  package func create(_ info: ContainerInfo) throws(ContainerError) {
    if try infoBytes() != nil { throw .exists(path: location) }
    let bytes = Array(info.text.utf8)
    guard try put(.info, bytes) else { throw .exists(path: location) }
    setInfo(bytes)
    try flush()
  }

  package func removeOldTemporaries() throws(ContainerError) {
    let oldest = Clock.now() - Layout.oldTemporary
    let names = try names()
    for (path, entry) in names.others where Layout.isTemporary(Path.name(path)) && (1..<oldest).contains(entry.time) {
      if !path.hasPrefix(Layout.transactions + "/") { try? delete(.other(path)) }
    }
  }

  package func restore(_ info: ContainerInfo) throws(ContainerError) -> Bool {
    guard try !names().chains.isEmpty else { return false }
    if try infoBytes() != nil { try setAside(.info) }
    let bytes = Array(info.text.utf8)
    if try put(.info, bytes) { setInfo(bytes) }
    try flush()
    return true
  }

  package func isArriving(since time: Int64) throws(ContainerError) -> Bool {
    let names = try names()
    if names.others.keys.contains(where: { !$0.contains("/") && Layout.promised(by: $0) == Layout.info }) {
      return true
    }
    return names.info.map { $0.time >= time } ?? false
  }

  package func infoCopies() throws(ContainerError) -> [ContainerInfo] {
    var found: [ContainerInfo] = []
    for path in try names().others.keys.sorted() where !path.contains("/") && path.holds("info") {
      guard found.count < 100, let bytes = try get(.other(path), most: ContainerInfo.largestFile) else { continue }
      if let info = try? ContainerInfo(bytes, path: path) { found.append(info) }
    }
    return found
  }

  package func makeDurable(deep: Bool) throws(ContainerError) {
    _ = try names()
    if isThere { try flush() }
  }

  /// What a connection left undone is made durable by the first `flush` of the next.
  package func mark() -> WritingMark? { nil }

  // MARK: Small files

  package func names(in folder: SmallFolder) throws(ContainerError) -> [String] {
    Array((try names().small[folder] ?? [:]).keys.sorted().prefix(SmallFile.mostNames))
  }

  package func read(_ name: String, in folder: SmallFolder) throws(ContainerError) -> [UInt8]? {
    try SmallFile.check(name, 0, in: folder)
    let most = Int64(SmallFile.largest)
    guard let bytes = try call(.get(folder.path(of: name), offset: 0, count: most + 1)) else { return nil }
    guard bytes.count <= most else { throw .badFile(.tooLarge, path: path(of: folder.path(of: name))) }
    return bytes
  }

  package func write(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws(ContainerError) {
    try SmallFile.check(name, bytes.count, in: folder)
    try needContainer()
    if folder.isHint {
      try replace(.small(folder, name), bytes)
    } else if try !put(.small(folder, name), bytes) {
      guard let there = try read(name, in: folder) else {
        throw .inTheWay(path: path(of: folder.path(of: name)))
      }
      guard there == bytes else { throw .badFile(.differs, path: folder.path(of: name)) }
    }
    try flush()
  }

  package func remove(_ name: String, in folder: SmallFolder) throws(ContainerError) {
    try SmallFile.check(name, 0, in: folder)
    try delete(.small(folder, name))
    try flush()
  }
}
