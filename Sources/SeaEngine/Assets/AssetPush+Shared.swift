import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// What stands in the place of a file, where that is not the file that is here.
extension AssetPush {
  /// Whether the container has what is here. Content that another copy of this machine has moved is sealed once more by whoever keeps it
  /// there too: such files differ, and one is as good as the other.
  func isRight(_ row: StoredAsset) throws -> Bool {
    var hash = SHA256()
    let isThere = try ifReadable {
      hash = SHA256()
      return try container.readAsset(row.place, from: 0) {
        hash.update($0)
        return true
      }
    }
    guard isThere == true else { return false }
    if hash.digest() == row.digest { return true }
    guard try assets.folder.isSealed() else { return false }
    let named = try store.assets.assets(at: row.place)
    guard named.count == 1 else { return false }
    return try ifReadable { try assets.verify(named[0], in: container) } == .good
  }

  /// Whether copies of one instance have given one number to two contents, and the other one is in the container: it is not replaced
  /// unless it is there under a number of its own.
  enum Other { case none, isHereElsewhere, hasNoOtherPlace }

  func other(_ row: StoredAsset) throws -> Other {
    let all = try store.assets.assets(at: row.place)
    guard all.count > 1 else { return .none }
    let ours = try good(all, in: assets.files)
    let there = try good(all, in: container)
    guard !ours.isEmpty, !there.isEmpty, !there.contains(where: ours.contains) else { return .none }
    if try ours.allSatisfy(isElsewhere) { return .isHereElsewhere }
    return try there.allSatisfy(isElsewhere) ? .none : .hasNoOtherPlace
  }

  /// Where sizes leave a choice, contents are read.
  private func good(_ all: [AssetRow], in source: AssetSource) throws -> [AssetRow] {
    let whole = try all.filter { try assets.isWhole($0, in: source) }
    guard whole.count > 1 else { return whole }
    return try whole.filter { one in try ifReadable { try assets.verify(one, in: source) } == .good }
  }

  private func isElsewhere(_ asset: AssetRow) throws -> Bool {
    try assets.twins(of: asset).contains { try assets.isWhole($0, in: container) && !store.assets.isContested($0) }
  }
}
