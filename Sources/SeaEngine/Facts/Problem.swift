import SeaContainer
import SeaCore

/// Something that does not verify, with the fixed codes of sea-verify(1).
package struct Problem: Error, Sendable, Equatable {
  package enum Code: String, Sendable {
    case badMagic = "bad-magic"
    case badMode = "bad-mode"
    case badSize = "bad-size"
    case badIndex = "bad-index"
    case badLamport = "bad-lamport"
    case badPrevious = "bad-prev"
    case badData = "bad-data"
    case badSignature = "bad-signature"
    case badKey = "bad-key"
    case badPayload = "bad-payload"
    case badDepth = "bad-depth"
    case badTag = "bad-tag"
    /// Removed, and nobody who may has ordered it.
    case badRemoval = "bad-removal"
    case truncated
    /// Not whole yet; an error only if it stays so.
    case incomplete
    case gap
    case fork
    /// The container holds less than it once did.
    case rolledBack = "rolled-back"
    /// Something in the container was no good, and was put right.
    case mended
    /// What stands in the place of something is no good, and cannot be moved.
    case inTheWay = "in-the-way"
    /// Somebody has seen blocks that no container has given us.
    case withheld
    case foreignFile = "foreign-file"
    /// A file in the place of a slot that is none, and one that asks for rounds out of bounds.
    case badSlot = "bad-slot"
    case badRounds = "bad-rounds"
    /// What nobody has listed keeps newcomers from slots that are valid.
    case crowded
    /// Verifies, but only a newer program can read it.
    case notReadable = "not-readable"
    /// Sealed under a key that this instance does not have.
    case noKey = "no-key"
    /// Verifies, and its author is not entitled to it: it is kept and counts nowhere.
    case unauthorised
    /// Somebody who may has ordered that it be purged, and it is there still.
    case notPurged = "not-purged"
    case projection
    /// A file of an asset was here and is gone, or no place has it.
    case missingAsset = "missing-asset"
    /// The files of an asset are not the content that records say they are.
    case badAsset = "bad-asset"
    /// Merging takes more work than one sync may do.
    case tooMuchWork = "too-much-work"
  }

  package var code: Code
  /// The container's name or path; empty for this instance's own store.
  package var place: String
  /// The branch that it is about.
  package var branch: BranchID?
  package var index: UInt32?
  /// What is wrong in more detail: a name, a number of bytes.
  package var detail = ""
  /// Whether it is about a block that its author has signed as it is: it is kept and handed on, and nothing of it applied.
  package var isKept = false
  /// Whether a code that blocks have, too, is about a file of assets.
  package var isOfAsset = false
  /// Whether its author has signed it as it is: all copies of the block are alike.
  package var isSigned = false

  package init(
    _ code: Code, place: String, branch: BranchID? = nil, index: UInt32? = nil, detail: String = ""
  ) {
    self.code = code
    self.place = place
    self.branch = branch
    self.index = index
    self.detail = detail
  }

  /// A sibling branch, from an index on if that is known.
  package init(fork branch: BranchID, place: String, index: UInt32? = nil) {
    self.init(.fork, place: place, branch: branch, index: index, detail: branch.description)
  }

  /// Something that a cloud client says it has, and that a placeholder stands for yet.
  package init(promised branch: BranchID, _ index: UInt32?, place: String) {
    self.init(.incomplete, place: place, branch: branch, index: index, detail: Problem.placeholder)
  }

  /// What was set aside where nothing is to stand: a good block of another place, or none.
  package static let extra = "extra"

  package static let placeholder = "only a placeholder"

  private static let later = "blocks up to "
  static func laterAreThere(_ last: UInt32) -> String { "\(later)\(last) are there" }
  /// Whether others are named behind what is missing.
  package var isGap: Bool { detail.hasPrefix(Problem.later) }

  /// A removed block of which it is not known for want of a key whether that was ordered.
  package init(unreadRemoval branch: BranchID, _ index: UInt32, place: String) {
    self.init(.noKey, place: place, branch: branch, index: index, detail: Problem.removed)
  }

  private static let removed = "removed"
  package var isUnreadRemoval: Bool { code == .noKey && detail == Problem.removed }

  /// A slot of keys that is gone from a container, and that a block which is not known here may have ended.
  package init(perhapsEnded slot: String, place: String) {
    self.init(.incomplete, place: place, detail: slot + Problem.ended)
  }

  /// What a container had and has no more: a branch from a block on, and slots of keys.
  package init(wasThere branch: BranchID, _ index: UInt32, place: String) {
    self.init(.gap, place: place, branch: branch, index: index, detail: Problem.wasThere)
  }
  package init(slotsWereThere count: Int, place: String) { self.init(.gap, place: place, detail: String(count)) }

  /// A file that is no good, where it harms nobody, and that cannot be moved.
  package init(heldFast path: String, _ reason: String, place: String) {
    self.init(.foreignFile, place: place, detail: "\(path) (cannot be moved: \(reason))")
  }

  /// Whether it is a file in a container that is a bundle, or goes with bundles.
  package var isOfBundles: Bool { code == .foreignFile && BundlePlaces.isAny(detail) }

  private static let wasThere = "was there"
  package var wasThere: Bool { code == .gap && detail == Problem.wasThere }

  /// A container in which so many files in the place of slots are nobody's that a newcomer does not come to those that are valid.
  package init(crowded count: Int, place: String) { self.init(.crowded, place: place, detail: String(count)) }

  private static let ended = ": ended?"
  /// The slot that may have been; nil if it is about none.
  package var perhapsEnded: String? {
    code == .incomplete && detail.hasSuffix(Problem.ended) ? String(detail.dropLast(Problem.ended.utf8.count)) : nil
  }

  /// A block that opens under a key for which nothing speaks: its changes are not applied.
  package init(unvouched branch: BranchID, _ index: UInt32, place: String) {
    self.init(.noKey, place: place, branch: branch, index: index, detail: Problem.unvouched)
    isKept = true
  }

  private static let unvouched = "unvouched"
  package var isUnvouched: Bool { code == .noKey && detail == Problem.unvouched }

  /// A record that was not merged; nil if others are left for the next time.
  package init(tooMuchWork record: String?) { self.init(.tooMuchWork, place: "", detail: record ?? "") }

  package init(_ code: Code, place: String, instance: UUID, index: UInt32? = nil, detail: String = "") {
    self.init(code, place: place, branch: BranchID(instance), index: index, detail: detail)
  }

  package var instance: UUID? { branch?.instance }
  package var fork: ForkID? { branch?.fork }
  /// The branch that it is about: `INSTANCE`, or `INSTANCE~DIGITS` of a sibling.
  package var chainText: String? { branch?.description }
  /// What people see of it behind the name of the instance.
  package var tail: String { branch?.tail ?? "" }

  /// Whether data is wrong or missing, and not only late or unknown.
  package var isError: Bool {
    if isKept { return false }
    switch code {
    case .incomplete, .withheld, .foreignFile, .badSlot, .badRounds, .notReadable, .rolledBack, .noKey, .unauthorised,
      .tooMuchWork,
      .notPurged, .mended:
      return false
    // Both branches of one that was taken in count.
    case .fork: return detail.isEmpty
    default: return true
    }
  }

  /// Whether something of it is wrong, be it kept or not.
  package var isWrong: Bool {
    var refused = self
    refused.isKept = false
    return refused.isError
  }

  /// Whether it is about a file of assets: then `index` is its number.
  package var isAsset: Bool { code == .missingAsset || code == .badAsset || isOfAsset }

  /// Whether there may be blocks that this instance does not know, or cannot read.
  var mayHideBlocks: Bool {
    switch code {
    case .incomplete, .noKey, .notReadable, .withheld, .rolledBack: !isAsset
    default: isWrong && !isAsset
    }
  }

  /// Whether bytes are wrong or missing: both branches of a fork are whole.
  package var isDamage: Bool { isError && code != .fork }

}

extension Problem.Code {
  init(_ fault: BlockFault) { self = Problem.Code(rawValue: fault.rawValue) ?? .badPayload }

  init(_ error: CoreError) {
    switch error {
    case .badBlock(let fault): self.init(fault)
    case .notReadable: self = .notReadable
    case .noKey: self = .noKey
    default: self = .badPayload
    }
  }
}

extension Problem {
  /// What the end of reading a chain says is wrong, if anything.
  init?(_ end: ReadEnd, place: String, branch: BranchID) {
    switch end {
    case .end, .stopped: return nil
    case .incomplete(let index, let have, let want):
      self.init(.incomplete, place: place, branch: branch, index: index, detail: "\(have) of \(want) bytes")
    case .damaged(let index, let fault):
      self.init(Code(fault), place: place, branch: branch, index: index)
    case .gap(let index, let later):
      self.init(.gap, place: place, branch: branch, index: index, detail: Problem.laterAreThere(later))
    }
  }
}
