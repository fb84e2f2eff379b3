import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

// What lies here: `.sea`, its rights, its disk, what was left in it.

extension Doctor {
  /// No machine could tell, or this instance has left no note where it writes: the next block makes one.
  package struct NoNote: Error {}

  func lookForCopy(_ examined: inout Examined) throws {
    let head = try store.branches.chain(folder.instance)?.head
    let looked = try database.author.suspicion(head)
    examined.look(at: .machine, looked.knowsMachine ? 1 : 0)
    examined.look(at: .note, looked.hasNote ? 1 : 0)
    if let reason = looked.reason {
      examined.find(folder.path, .renewal(reason))
    } else if try store.branches.isContested(folder.instance) {
      examined.find(folder.path, .renewal(.forked))
    } else if head != nil, !looked.hasNote {
      examined.blind.append((folder.path, NoNote()))
    }
  }

  func lookAtPermissions(_ examined: inout Examined) throws {
    let isSealed = try folder.isSealed()
    let keys = folder.keysPath
    let hooks = Path.join(folder.path, Location.hooksName)
    var paths: [(path: String, isSecret: Bool)] = [(folder.path, isSealed), (folder.configPath, false)]
    if isSealed { paths.append((Path.join(folder.path, Store.fileName), true)) }
    paths.append((keys, true))
    for (above, isSecret) in [(keys, true), (hooks, false)] {
      guard let status = try Path.statusFollowing(above), status.kind == .directory else { continue }
      if above == hooks { paths.append((hooks, false)) }
      let names = try Directory(above).list().entries.map(\.name).sorted()
      paths += names.map { (Path.join(above, $0), isSecret) }
    }
    let isClosed = try Path.statusFollowing(folder.path).map { $0.mode & 0o077 == 0 } ?? false
    for (path, isSecret) in paths {
      guard let status = try Path.statusFollowing(path) else { continue }
      examined.look(at: .file)
      let trusted = [ThisProcess.userID(), 0]
      if !trusted.contains(status.owner) { examined.find(path, .owned(by: status.owner)) }
      // Nobody gets past a folder that is closed; where a link leads to is elsewhere.
      if isClosed, path != folder.path, try Path.status(path)?.kind != .link { continue }
      let isFolder = status.kind == .directory
      if status.mode & 0o022 != 0 {
        examined.find(path, .open(to: .write, path: path, isFolder: isFolder))
      } else if isSecret, status.mode & 0o077 != 0 {
        examined.find(path, .open(to: .read, path: path, isFolder: isFolder))
      }
    }
  }

  /// Where little is left, the next write may be the one that fails.
  private static let leastSpace: Int64 = 64 << 20

  func lookAtSpace(_ examined: inout Examined) {
    var wanted = [(folder.path, folder.path, storeSize + Doctor.leastSpace)]
    for (setting, container) in places where !setting.isReadOnly && !isAway(container) {
      if let path = HelperPlace.path(of: setting.location) { wanted.append((setting.name, path, Doctor.leastSpace)) }
    }
    for (subject, path, need) in wanted {
      do {
        let free = try FileSystem.free(path)
        examined.look(at: .place)
        if free < need { examined.find(subject, .littleSpace(free: free, need: need)) }
      } catch { examined.blind.append((subject, error)) }
    }
  }

  /// A store that is made anew needs as much again.
  private var storeSize: Int64 {
    ((try? Path.statusFollowing(Path.join(folder.path, Store.fileName))) ?? nil)?.size ?? 0
  }

  func lookAtFileSystem(_ examined: inout Examined) throws {
    let path = try folder.absolutePath()
    if try Path.isOnNetwork(path) { examined.find(folder.path, .onNetwork) }
    if let largest = try FileSystem.largestFile(path) { examined.find(folder.path, .smallFiles(largest: largest)) }
    if let hazard = Location.hazard(of: Path.parent(path)) { examined.find(folder.path, .hazard(hazard)) }
    examined.look(at: .place)
  }

  func lookAtProjection(_ examined: inout Examined) throws {
    do {
      if try !store.snapshot({ try store.projection.isRight() }) { examined.find(folder.path, .projection("")) }
    } catch StoreError.damaged(let what) { examined.find(folder.path, .projection(what)) }
    examined.look(at: .projection)
  }

  // MARK: - What was left in the making

  func lookForTemporaries(_ examined: inout Examined) throws {
    let own = try database.assets.collection.collect(nil, least: 0, dryRun: true).temporary
    if own.files > 0 { examined.find(folder.path, .temporary(files: own.files, bytes: own.bytes)) }
    examined.look(at: .place)
    try eachContainer(&examined) { setting, container, examined in
      let names = Set(try strangers(in: container, setting.name).temporary)
      guard !names.isEmpty else { return }
      let oldest = Clock.now() - Layout.oldTemporary
      var (files, bytes) = (0, Int64(0))
      // A younger one may be what somebody is just making.
      _ = try container.forEachFile { file in
        guard names.contains(file.path), file.modified < oldest else { return }
        (files, bytes) = (files + 1, bytes + file.size)
      }
      if files > 0 { examined.find(setting.name, .temporary(files: files, bytes: bytes)) }
    }
  }

  func removeTemporaries() throws {
    _ = try database.assets.collection.collect(nil, least: 0, dryRun: false)
    for (setting, container) in places where !setting.isReadOnly {
      guard let container = try? container.get() else { continue }
      try container.removeOldTemporaries()
    }
  }
}
