import SeaCore
import SeaStore
import SeaSystem

/// A way into a sealed database, as people see it.
package struct SlotView: Sendable {
  package enum Kind: Sendable, Equatable {
    case password(rounds: Int)
    case instance(UUID, name: String?)
    case previous(UInt32)
  }
  package var name: Digest
  package var epoch: UInt32
  package var kind: Kind
}

/// What became of the ways in.
package struct SlotChange: Sendable {
  package var added: Digest?
  package var ended: [Digest] = []
  /// The epoch that begins with it.
  package var epoch: UInt32?
  /// Blocks that are sealed; none was touched.
  package var blocks = 0
  /// Passwords that open nothing any more, because nobody said them.
  package var dropped = 0
  /// Instances that can read what is written from now on.
  package var readers: [Reader] = []
}

extension Access {
  /// The slots that are valid, by epoch and kind.
  package func slotViews() throws -> [SlotView] {
    guard try folder.isSealed() else { throw KitError.notSealed(place: folder.path) }
    let names = try requests.names(requests.all())
    return try keychain.validSlots().compactMap { slot in
      let kind: SlotView.Kind
      switch slot.kind {
      case .password(_, let rounds): kind = .password(rounds: rounds)
      case .instance(let instance): kind = .instance(instance, name: names[instance])
      case .previous(let epoch): kind = .previous(epoch)
      case .other: return nil
      }
      return SlotView(name: slot.digest, epoch: slot.epoch, kind: kind)
    }.sorted { ($0.epoch, $0.kind.order, $0.name) < ($1.epoch, $1.kind.order, $1.name) }
  }

  /// Adds a password to the newest epoch.
  package func addPassword(_ password: [UInt8]) throws -> SlotChange {
    try store.locked {
      let slots = try passwordSlots(password)
      try changeSlots(slots, ended: [], label: "passwd --add")
      return try summary(added: slots.first?.slots.first?.digest)
    }
  }

  /// Puts a password in the place of another one; with the same password it takes the rounds of `settings`.
  /// - Throws: `badPassword` if `old` opens nothing.
  package func changePassword(from old: [UInt8], to new: [UInt8]) throws -> SlotChange {
    let ended = try slots(openedBy: old)
    return try store.locked {
      let slots = try passwordSlots(new)
      try changeSlots(slots, ended: ended, label: "passwd")
      return try summary(added: slots.first?.slots.first?.digest, ended: ended)
    }
  }

  /// Ends a slot.
  /// - Throws: `lastSlot` if nothing would open the database for a newcomer and this instance keeps no keys.
  package func removeSlot(_ text: String) throws -> SlotChange {
    let all = try slotViews()
    let found = all.filter { $0.name.description.hasPrefix(text) }
    guard text.utf8.count >= 4, let slot = found.first else { throw KitError.slotNotFound(text) }
    guard found.count == 1 else { throw KitError.ambiguousSlot(text) }
    if case .previous = slot.kind { throw KitError.slotNotFound(text) }
    let others = all.contains {
      if case .previous = $0.kind { false } else { $0.name != slot.name && $0.epoch == slot.epoch }
    }
    guard try others || keychain.isKept() else { throw KitError.lastSlot(text) }
    try changeSlots([], ended: [slot.name], label: "passwd --remove")
    return try summary(ended: [slot.name])
  }

  /// Begins an epoch for all who may read, and for one password. Other passwords open nothing any more: nobody but who
  /// knows them can wrap a key for them.
  /// - Parameter password: nil for none.
  package func rotate(_ password: [UInt8]?) throws -> SlotChange {
    if let password { _ = try slots(openedBy: password) }
    let ended = try passwordSlots()
    let readers = try members.readers()
    let epoch = try beginEpoch(for: readers, password: password, ended: ended, label: "passwd --rotate")
    var change = try summary(ended: ended)
    change.epoch = epoch
    change.dropped = max(0, ended.count - (password == nil ? 0 : 1))
    return change
  }

  /// Whether any password opens the database.
  package func hasPassword() throws -> Bool { try !passwordSlots().isEmpty }

  /// - Throws: `badPassword` unless the password opens a slot that is valid.
  package func check(_ password: [UInt8]) throws { _ = try slots(openedBy: password) }

  func passwordSlots() throws -> [Digest] {
    try keychain.validSlots().filter(\.isPassword).map(\.digest)
  }

  private func passwordSlots(_ password: [UInt8]) throws -> [SlotList] {
    try keysForWrapping().map { SlotList(key: $0, slots: [try passwordSlot(password, $0)]) }
  }

  /// The valid slots that a password opens.
  private func slots(openedBy password: [UInt8]) throws -> [Digest] {
    var normalised = try Password.normalised(password)
    defer { Secret.wipe(&normalised) }
    let found = try keychain.validSlots().filter { slot in
      slot.isPassword && (try? slot.open(password: normalised)) != nil
    }.map(\.digest)
    guard !found.isEmpty else { throw KitError.badPassword(place: folder.path) }
    return found
  }

  private func summary(added: Digest? = nil, ended: [Digest] = []) throws -> SlotChange {
    var change = SlotChange(added: added, ended: ended)
    change.blocks = try store.branches.chains().reduce(0) { $0 + Int($1.head.index) + 1 }
    change.readers = try namedReaders()
    return change
  }

  /// The instances that keys are wrapped for, named as `instances` names them.
  func namedReaders() throws -> [Reader] {
    let names = try requests.names(requests.all())
    return try members.readers().map {
      Reader(instance: $0.instance, name: names[$0.instance] ?? "", exchange: $0.exchange)
    }.sorted { ($0.name, $0.instance) < ($1.name, $1.instance) }
  }
}

extension SlotView.Kind {
  fileprivate var order: Int {
    switch self {
    case .password: 0
    case .instance: 1
    case .previous: 2
    }
  }
}
