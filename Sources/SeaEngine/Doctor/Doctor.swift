import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Checks a database for possible problems: on this device, in its containers, and between the two.
///
/// Only `repair` changes anything, and only data that can be recomputed or was left over by programs that crashed. Each
/// check also reports everything that it could not examine.
package final class Doctor {
  let database: Database
  var folder: SeaFolder { database.folder }
  var store: Store { database.store }
  static let mostReported = 20

  private(set) lazy var places: [(setting: ContainerSetting, container: Result<any Container, any Error>)] =
    settings.map { setting in (setting, Result { try database.containers.open(setting) }) }
  private lazy var settings = (try? database.containers.settings()) ?? []
  /// The unexpected files in each container, cached because finding them is slow.
  private var strangers: [String: SeaContainer.ForeignFiles] = [:]

  package init(_ database: Database) { self.database = database }

  /// Runs one check. An error during the check becomes part of the result.
  package func examine(_ check: Check) -> Examined {
    var examined = Examined()
    do {
      switch check {
      case .copied: try findCopy(&examined)
      case .permissions: try checkPermissions(&examined)
      case .diskSpace: checkSpace(&examined)
      case .fileSystem: try checkFileSystem(&examined)
      case .temporaries: try findTemporaries(&examined)
      case .projection: try checkProjection(&examined)
      case .storedKeys: try checkKeys(&examined)
      case .keyDerivation: try checkSlots(&examined)
      case .clock: try checkClocks(&examined)
      case .containers: try checkContainers(&examined)
      case .cloudDebris: try findDebris(&examined)
      case .missing: try findMissing(&examined)
      case .unverified: try findUnverified(&examined)
      case .hooks: break
      }
    } catch { examined.unexamined.append(("", error)) }
    return examined
  }

  /// Whether the findings of a check can be repaired without loss of data.
  package static func canRepair(_ check: Check) -> Bool { check == .temporaries || check == .projection }

  /// Runs a check and repairs its findings if possible. Findings that have disappeared afterward are marked as
  /// repaired.
  package func repair(_ check: Check) -> Examined {
    var before = examine(check)
    guard Doctor.canRepair(check), !before.findings.isEmpty else { return before }
    do {
      if check == .projection {
        _ = try database.rebuildProjection(dryRun: false)
      } else {
        try removeTemporaries()
      }
    } catch {
      before.unexamined.append(("", error))
      return before
    }
    strangers = [:]
    let after = examine(check)
    let left = Set(after.findings.map(\.subject))
    before.findings = before.findings.compactMap { finding in
      var finding = finding
      finding.isMended = !left.contains(finding.subject)
      return finding.isMended ? finding : after.findings.first { $0.subject == finding.subject }
    }
    let known = Set(before.findings.map(\.subject))
    before.findings += after.findings.filter { !known.contains($0.subject) }
    before.unexamined = after.unexamined
    return before
  }

  // MARK: - Containers

  /// Runs `body` on every container that can be opened. Records the other containers as not examined.
  func eachContainer(
    _ examined: inout Examined, _ body: (ContainerSetting, any Container, inout Examined) throws -> Void
  ) throws {
    // An error in the settings must be reported.
    _ = try database.containers.settings()
    for (setting, container) in places {
      do {
        try body(setting, container.get(), &examined)
        examined.count(.container)
      } catch {
        // Unavailable containers are reported by another check.
        if !isUnavailable(container) { examined.unexamined.append((setting.name, error)) }
      }
    }
    if places.isEmpty { examined.count(.container, 0) }
  }

  func isUnavailable(_ container: Result<any Container, any Error>) -> Bool {
    if case .failure(let error) = container { Containers.state(for: error) == .unavailable } else { false }
  }

  func strangers(in container: any Container, _ name: String) throws -> SeaContainer.ForeignFiles {
    if let known = strangers[name] { return known }
    let found = try container.foreignFiles()
    strangers[name] = found
    return found
  }
}

extension Database {
  package var doctor: Doctor { Doctor(self) }
}

extension Doctor {
  func checkKeys(_ examined: inout Examined) throws {
    let isThere = try Path.exists(folder.keysPath)
    let names = isThere ? try Directory(folder.keysPath).list().entries.map(\.name) : []
    examined.count(.identity, names.contains(IdentityFile.name) ? 1 : 0)
    if !names.contains(IdentityFile.name) { examined.find(folder.keysPath, .noIdentity) }
    let kept = try KeyFile.read(folder: folder.keysPath)
    examined.count(.epochKey, kept?.keys.count ?? 0)
    if let guests = kept?.unconfirmedKeys.count, guests > 0 { examined.count(.guestKey, guests) }
    let old = names.count { IdentityFile.isOld($0) }
    if old > 0 { examined.find(folder.keysPath, .oldKeys(old)) }
    if let kept, try store.metaInt("keepsKeys") == 0 { examined.find(folder.keysPath, .keptKeys(kept.keys.count)) }
  }

  /// Checks the number of rounds, because anyone with a copy of a container can try passwords without limit.
  func checkSlots(_ examined: inout Examined) throws {
    var (count, weak, rounds) = (0, 0, Int.max)
    if try folder.isSealed() {
      for slot in try database.keychain.validSlots() {
        guard case .password(_, let asked) = slot.kind else { continue }
        count += 1
        if asked < Slot.leastNewRounds { (weak, rounds) = (weak + 1, min(rounds, asked)) }
      }
    }
    examined.count(.slot, count)
    if weak > 0 { examined.find(folder.path, .weakSlots(weak, rounds: rounds)) }
  }

  /// The tolerated difference between clocks, in milliseconds. Some clocks are set by hand.
  private static let tolerance: Int64 = 120_000

  /// Checks clocks. Times are used only for display, so a wrong clock is not an error.
  func checkClocks(_ examined: inout Examined) throws {
    let now = folder.settings.clock()
    for chain in try store.branches.chains() {
      examined.count(.chain)
      let ahead = chain.time.subtractingReportingOverflow(now)
      guard !ahead.overflow, ahead.partialValue > Doctor.tolerance else { continue }
      let name = chain.name.isEmpty ? chain.instance.description : chain.name
      let isOwn = chain.instance == folder.instance
      examined.find(name, isOwn ? .setBack(ahead.partialValue) : .ahead(ahead.partialValue))
    }
  }
}

extension Doctor {
  func checkContainers(_ examined: inout Examined) throws {
    _ = try database.containers.settings()
    examined.count(.container, places.count { !isUnavailable($0.container) })
    for (setting, container) in places {
      do { _ = try container.get() } catch {
        guard let state = Containers.state(for: error) else {
          examined.unexamined.append((setting.name, error))
          continue
        }
        if state == .unavailable {
          examined.unavailable.append(setting.name)
        } else {
          examined.find(setting.name, .state(state))
        }
      }
    }
  }

  func findDebris(_ examined: inout Examined) throws {
    try eachContainer(&examined) { setting, container, examined in
      let names = try strangers(in: container, setting.name).unknown
      for name in names.prefix(Doctor.mostReported) {
        examined.find("\(setting.name): \(name)", try meaning(of: name, in: container))
      }
      if names.count > Doctor.mostReported { examined.find(setting.name, .more(names.count - Doctor.mostReported)) }
    }
  }

  private func meaning(of path: String, in container: any Container) throws -> Finding.Fact {
    if Layout.promised(by: Path.name(path)) != nil { return .placeholder }
    if ExchangeDirectoryNames.isAny(path) { return .bundle }
    let parts = path.split(separator: "/")
    guard parts.count > 1, parts[0] == Layout.transactions, let branch = BranchID(String(parts[1])) else {
      return .foreign
    }
    var first: BlockRow?
    var isKnown = true
    try container.readStray(path) { bytes in
      let header = try BlockHeader(bytes)
      let row = try header.hash(ofIntact: bytes).flatMap {
        try store.blocks.block(BlockRef(instance: branch.instance, index: header.index, digest: $0))
      }
      if first == nil { first = row }
      isKnown = row != nil
      return isKnown
    }
    guard isKnown else { return .unknownBlocks }
    return first.map { .copyOf(block: $0.place) } ?? .foreign
  }

  func findMissing(_ examined: inout Examined) throws {
    try eachContainer(&examined) { setting, container, examined in
      let problems = try database.exchange.probe(at: setting, container).oneWayProblems(of: setting.name)
      for problem in problems.prefix(Doctor.mostReported) { examined.find(setting.name, .lacks(problem)) }
      if problems.count > Doctor.mostReported {
        examined.find(setting.name, .more(problems.count - Doctor.mostReported))
      }
    }
  }

  /// Finds containers whose content has never been read back, because it may be unreadable.
  func findUnverified(_ examined: inout Examined) throws {
    try eachContainer(&examined) { setting, container, examined in
      let state = try folder.state(of: setting.name)
      guard state.lastSync > 0 else { return examined.find(setting.name, .neverSynced) }
      guard !setting.isReadOnly, state.blocks.contents.stamp == 0, try !container.chains().chains.isEmpty else {
        return
      }
      examined.find(setting.name, .neverRead)
    }
  }
}

// Checks this device: the `.sea` folder, its permissions, its disk, and temporary files.

extension Doctor {
  /// An error that means that the machine is unknown or the note is missing. Writing the next block creates the note.
  package struct NoNote: Error {}

  func findCopy(_ examined: inout Examined) throws {
    let head = try store.branches.chain(folder.instance)?.head
    let suspicion = try database.author.suspicion(head)
    examined.count(.machine, suspicion.knowsMachine ? 1 : 0)
    examined.count(.note, suspicion.hasNote ? 1 : 0)
    if let reason = suspicion.reason {
      examined.find(folder.path, .renewal(reason))
    } else if try store.branches.isContested(folder.instance) {
      examined.find(folder.path, .renewal(.forked))
    } else if head != nil, !suspicion.hasNote {
      examined.unexamined.append((folder.path, NoNote()))
    }
  }

  func checkPermissions(_ examined: inout Examined) throws {
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
      examined.count(.file)
      let trusted = [ThisProcess.userID(), 0]
      if !trusted.contains(status.owner) { examined.find(path, .owned(by: status.owner)) }
      // Files in a folder that other users cannot enter are safe, unless a symbolic link leads elsewhere.
      if isClosed, path != folder.path, try Path.status(path)?.kind != .link { continue }
      let isFolder = status.kind == .directory
      if status.mode & 0o022 != 0 {
        examined.find(path, .open(to: .write, path: path, isFolder: isFolder))
      } else if isSecret, status.mode & 0o077 != 0 {
        examined.find(path, .open(to: .read, path: path, isFolder: isFolder))
      }
    }
  }

  /// The minimum free space in bytes. With less, the next write may fail.
  private static let leastSpace: Int64 = 64 << 20

  func checkSpace(_ examined: inout Examined) {
    var wanted = [(folder.path, folder.path, storeSize + Doctor.leastSpace)]
    for (setting, container) in places where !setting.isReadOnly && !isUnavailable(container) {
      if let path = HelperPlace.path(of: setting.location) { wanted.append((setting.name, path, Doctor.leastSpace)) }
    }
    for (subject, path, need) in wanted {
      do {
        let free = try FileSystem.free(path)
        examined.count(.place)
        if free < need { examined.find(subject, .littleSpace(free: free, need: need)) }
      } catch { examined.unexamined.append((subject, error)) }
    }
  }

  /// The size of the store. Rebuilding it needs the same amount of additional space.
  private var storeSize: Int64 {
    ((try? Path.statusFollowing(Path.join(folder.path, Store.fileName))) ?? nil)?.size ?? 0
  }

  func checkFileSystem(_ examined: inout Examined) throws {
    let path = try folder.absolutePath()
    if try Path.isOnNetwork(path) { examined.find(folder.path, .onNetwork) }
    if let largest = try FileSystem.largestFile(path) { examined.find(folder.path, .smallFiles(largest: largest)) }
    if let hazard = Location.hazard(of: Path.parent(path)) { examined.find(folder.path, .hazard(hazard)) }
    examined.count(.place)
  }

  func checkProjection(_ examined: inout Examined) throws {
    do {
      if try !store.snapshot({ try store.projection.isRight() }) { examined.find(folder.path, .projection("")) }
    } catch StoreError.damaged(let what) { examined.find(folder.path, .projection(what)) }
    examined.count(.projection)
  }

  // MARK: - Temporary files

  func findTemporaries(_ examined: inout Examined) throws {
    let own = try database.assets.collection.collect(nil, least: 0, dryRun: true).temporary
    if own.files > 0 { examined.find(folder.path, .temporary(files: own.files, bytes: own.bytes)) }
    examined.count(.place)
    try eachContainer(&examined) { setting, container, examined in
      let names = Set(try strangers(in: container, setting.name).temporary)
      guard !names.isEmpty else { return }
      let oldest = Clock.now() - Layout.oldTemporary
      var (files, bytes) = (0, Int64(0))
      // A more recent file may still be in use by a running program.
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
