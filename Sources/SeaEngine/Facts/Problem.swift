import SeaContainer
import SeaCore

/// A problem that a check found, with a code from sea-verify(1).
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
    /// A block was purged without a valid purge order.
    case badRemoval = "bad-removal"
    case truncated
    /// The data is not complete yet and may still be arriving.
    case incomplete
    case gap
    case fork
    /// The container has fewer blocks than it had before.
    case rolledBack = "rolled-back"
    case mended
    /// An invalid file blocks a write and cannot be moved.
    case inTheWay = "in-the-way"
    /// Another instance has seen blocks that have not arrived from any container.
    case withheld
    case foreignFile = "foreign-file"
    case badSlot = "bad-slot"
    case badRounds = "bad-rounds"
    /// Too many unlisted files prevent new instances from finding valid key slots.
    case crowded
    /// The block is valid, but only a newer program can read it.
    case notReadable = "not-readable"
    /// The block is encrypted under a key that this instance does not have.
    case noKey = "no-key"
    /// The block is valid and stored, but has no effect because its author is not authorized.
    case unauthorized
    /// The data still exists although there is a valid purge order.
    case notPurged = "not-purged"
    case projection
    /// An asset file has been lost locally, or no source has it.
    case missingAsset = "missing-asset"
    case badAsset = "bad-asset"
    /// The merge would take more work than a single sync may do.
    case tooMuchWork = "too-much-work"
  }

  package var code: Code
  /// The container's name or path; empty for this instance's store.
  package var place: String
  package var branch: BranchID?
  package var index: UInt32?
  package var detail = ""
  /// Whether the faulty block is stored and transferred, but not applied, because its signature is valid.
  package var isStored = false
  /// Whether the problem is about an asset file. Needed for codes that can also apply to blocks.
  package var isOfAsset = false
  /// Whether the faulty block has a valid signature, so that all copies have the same fault.
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

  package init(fork branch: BranchID, place: String, index: UInt32? = nil) {
    self.init(.fork, place: place, branch: branch, index: index, detail: branch.description)
  }

  /// Reports a block or branch that exists only as a placeholder of a cloud client.
  package init(placeholder branch: BranchID, _ index: UInt32?, place: String) {
    self.init(.incomplete, place: place, branch: branch, index: index, detail: Problem.placeholder)
  }

  /// The value of `detail` for an unexpected file that was moved aside.
  package static let extra = "extra"

  package static let placeholder = "only a placeholder"

  private static let later = "blocks up to "
  static func laterAreThere(_ last: UInt32) -> String { "\(later)\(last) are there" }
  /// Whether there are later blocks after the missing one.
  package var isGap: Bool { detail.hasPrefix(Problem.later) }

  /// Reports a purged block whose purge order may be in an unreadable block.
  package init(unreadRemoval branch: BranchID, _ index: UInt32, place: String) {
    self.init(.noKey, place: place, branch: branch, index: index, detail: Problem.removed)
  }

  private static let removed = "removed"
  package var isUnreadRemoval: Bool { code == .noKey && detail == Problem.removed }

  /// Reports a missing key slot that may have been ended by a block that is unknown here.
  package init(possiblyInvalidatedSlot slot: String, place: String) {
    self.init(.incomplete, place: place, detail: slot + Problem.ended)
  }

  /// Reports that a container has lost all blocks of a branch starting at an index.
  package init(wasThere branch: BranchID, _ index: UInt32, place: String) {
    self.init(.gap, place: place, branch: branch, index: index, detail: Problem.wasThere)
  }
  package init(slotsWereThere count: Int, place: String) { self.init(.gap, place: place, detail: String(count)) }

  /// Reports a harmless invalid file that cannot be moved.
  package init(immovable path: String, _ reason: String, place: String) {
    self.init(.foreignFile, place: place, detail: "\(path) (cannot be moved: \(reason))")
  }

  /// Whether the foreign file belongs to bundles.
  package var isOfBundles: Bool { code == .foreignFile && ExchangeDirectoryNames.isAny(detail) }

  private static let wasThere = "was there"
  package var wasThere: Bool { code == .gap && detail == Problem.wasThere }

  package init(crowded count: Int, place: String) { self.init(.crowded, place: place, detail: String(count)) }

  private static let ended = ": ended?"
  /// The key slot that may have been ended; nil for other problems.
  package var possiblyInvalidatedSlot: String? {
    code == .incomplete && detail.hasSuffix(Problem.ended) ? String(detail.dropLast(Problem.ended.utf8.count)) : nil
  }

  /// Reports a block that is encrypted under an unconfirmed key. Its changes are not applied.
  package init(unvouched branch: BranchID, _ index: UInt32, place: String) {
    self.init(.noKey, place: place, branch: branch, index: index, detail: Problem.unvouched)
    isStored = true
  }

  private static let unvouched = "unvouched"
  package var isUnvouched: Bool { code == .noKey && detail == Problem.unvouched }

  /// Reports a record whose merge takes too much work. If `record` is nil, other merges are left for the next run.
  package init(tooMuchWork record: String?) { self.init(.tooMuchWork, place: "", detail: record ?? "") }

  package init(_ code: Code, place: String, instance: UUID, index: UInt32? = nil, detail: String = "") {
    self.init(code, place: place, branch: BranchID(instance), index: index, detail: detail)
  }

  package var instance: UUID? { branch?.instance }
  package var fork: ForkID? { branch?.fork }
  /// `INSTANCE`, or `INSTANCE~DIGITS` for a fork branch.
  package var chainText: String? { branch?.description }
  /// The suffix that users see after the instance's name.
  package var tail: String { branch?.tail ?? "" }

  /// Whether data is wrong or missing, and not just late or unknown.
  package var isError: Bool {
    if isStored { return false }
    switch code {
    case .incomplete, .withheld, .foreignFile, .badSlot, .badRounds, .notReadable, .rolledBack, .noKey, .unauthorized,
      .tooMuchWork,
      .notPurged, .mended:
      return false
    // A fork is not an error if both branches have been imported.
    case .fork: return detail.isEmpty
    default: return true
    }
  }

  /// Whether data is wrong. The block may be stored nevertheless.
  package var isWrong: Bool {
    var refused = self
    refused.isStored = false
    return refused.isError
  }

  /// Whether the problem is about an asset file. If so, `index` is the number of the file.
  package var isAsset: Bool { code == .missingAsset || code == .badAsset || isOfAsset }

  /// Whether there may be blocks that this instance does not have or cannot read.
  var mayHideBlocks: Bool {
    switch code {
    case .incomplete, .noKey, .notReadable, .withheld, .rolledBack: !isAsset
    default: isWrong && !isAsset
    }
  }

  /// Whether bytes are wrong or missing. A fork is not damage, because both branches are intact.
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
