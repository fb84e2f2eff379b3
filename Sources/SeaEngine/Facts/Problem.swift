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
    /// Purged without a valid purge order.
    case badRemoval = "bad-removal"
    case truncated
    /// Not complete yet; an error only if that does not change.
    case incomplete
    case gap
    case fork
    /// The container holds less than it once did.
    case rolledBack = "rolled-back"
    /// An invalid part of the container was repaired.
    case mended
    /// An invalid file has the place of another one, and cannot be moved.
    case inTheWay = "in-the-way"
    /// An instance has seen blocks that no container has delivered.
    case withheld
    case foreignFile = "foreign-file"
    /// An invalid file is among the key slots, or a key slot requires too few or too many rounds.
    case badSlot = "bad-slot"
    case badRounds = "bad-rounds"
    /// Unlisted files keep newcomers from valid key slots.
    case crowded
    /// The block verifies, but only a newer program can read it.
    case notReadable = "not-readable"
    /// Encrypted under a key that this instance does not have.
    case noKey = "no-key"
    /// The block verifies, but its author is not authorized: it is stored and has no effect.
    case unauthorized
    /// The data is still there after a valid purge order.
    case notPurged = "not-purged"
    case projection
    /// A file of an asset was here and is gone, or no source has it.
    case missingAsset = "missing-asset"
    /// The files of an asset do not match the records.
    case badAsset = "bad-asset"
    /// The merge takes more work than one sync may do.
    case tooMuchWork = "too-much-work"
  }

  package var code: Code
  /// The container's name or path; empty for this instance's own store.
  package var place: String
  /// The branch that the problem is about.
  package var branch: BranchID?
  package var index: UInt32?
  /// Details: a name, a number of bytes.
  package var detail = ""
  /// Whether the author signed the faulty block. It is stored and handed over, and nothing in it is applied.
  package var isKept = false
  /// Whether a code that blocks also have is about an asset file.
  package var isOfAsset = false
  /// Whether the author signed the faulty block, so that all copies of it are alike.
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

  /// Reports a fork branch, with its first index if known.
  package init(fork branch: BranchID, place: String, index: UInt32? = nil) {
    self.init(.fork, place: place, branch: branch, index: index, detail: branch.description)
  }

  /// Reports a part for which a cloud client shows a placeholder.
  package init(promised branch: BranchID, _ index: UInt32?, place: String) {
    self.init(.incomplete, place: place, branch: branch, index: index, detail: Problem.placeholder)
  }

  /// The detail of a file that was moved aside where no file belongs: a misplaced block, or invalid data.
  package static let extra = "extra"

  package static let placeholder = "only a placeholder"

  private static let later = "blocks up to "
  static func laterAreThere(_ last: UInt32) -> String { "\(later)\(last) are there" }
  /// Whether later blocks exist after the missing one.
  package var isGap: Bool { detail.hasPrefix(Problem.later) }

  /// Reports a purged block whose order may be unreadable for lack of a key.
  package init(unreadRemoval branch: BranchID, _ index: UInt32, place: String) {
    self.init(.noKey, place: place, branch: branch, index: index, detail: Problem.removed)
  }

  private static let removed = "removed"
  package var isUnreadRemoval: Bool { code == .noKey && detail == Problem.removed }

  /// Reports a key slot that is missing in a container, and that a block unknown here may have ended.
  package init(perhapsEnded slot: String, place: String) {
    self.init(.incomplete, place: place, detail: slot + Problem.ended)
  }

  /// Reports parts that a container had and has lost: a branch from a block on, or key slots.
  package init(wasThere branch: BranchID, _ index: UInt32, place: String) {
    self.init(.gap, place: place, branch: branch, index: index, detail: Problem.wasThere)
  }
  package init(slotsWereThere count: Int, place: String) { self.init(.gap, place: place, detail: String(count)) }

  /// Reports an invalid file that does no harm and cannot be moved.
  package init(heldFast path: String, _ reason: String, place: String) {
    self.init(.foreignFile, place: place, detail: "\(path) (cannot be moved: \(reason))")
  }

  /// Whether the foreign file is a bundle, or belongs to bundles.
  package var isOfBundles: Bool { code == .foreignFile && BundlePlaces.isAny(detail) }

  private static let wasThere = "was there"
  package var wasThere: Bool { code == .gap && detail == Problem.wasThere }

  /// Reports that unlisted files among the key slots keep a newcomer from reaching the valid ones.
  package init(crowded count: Int, place: String) { self.init(.crowded, place: place, detail: String(count)) }

  private static let ended = ": ended?"
  /// The key slot that may have been ended; nil for other problems.
  package var perhapsEnded: String? {
    code == .incomplete && detail.hasSuffix(Problem.ended) ? String(detail.dropLast(Problem.ended.utf8.count)) : nil
  }

  /// Reports a block encrypted under a key that nothing vouches for; its changes are not applied.
  package init(unvouched branch: BranchID, _ index: UInt32, place: String) {
    self.init(.noKey, place: place, branch: branch, index: index, detail: Problem.unvouched)
    isKept = true
  }

  private static let unvouched = "unvouched"
  package var isUnvouched: Bool { code == .noKey && detail == Problem.unvouched }

  /// Reports a record that was not merged; nil if others are left for the next run.
  package init(tooMuchWork record: String?) { self.init(.tooMuchWork, place: "", detail: record ?? "") }

  package init(_ code: Code, place: String, instance: UUID, index: UInt32? = nil, detail: String = "") {
    self.init(code, place: place, branch: BranchID(instance), index: index, detail: detail)
  }

  package var instance: UUID? { branch?.instance }
  package var fork: ForkID? { branch?.fork }
  /// The branch that the problem is about: `INSTANCE`, or `INSTANCE~DIGITS` for a fork branch.
  package var chainText: String? { branch?.description }
  /// The part of the branch's name that users see after the name of the instance.
  package var tail: String { branch?.tail ?? "" }

  /// Whether data is wrong or missing, and not only late or unknown.
  package var isError: Bool {
    if isKept { return false }
    switch code {
    case .incomplete, .withheld, .foreignFile, .badSlot, .badRounds, .notReadable, .rolledBack, .noKey, .unauthorized,
      .tooMuchWork,
      .notPurged, .mended:
      return false
    // A fork with both branches imported is not an error.
    case .fork: return detail.isEmpty
    default: return true
    }
  }

  /// Whether data is wrong, stored or not.
  package var isWrong: Bool {
    var refused = self
    refused.isKept = false
    return refused.isError
  }

  /// Whether the problem is about an asset file; then `index` is the number of the file.
  package var isAsset: Bool { code == .missingAsset || code == .badAsset || isOfAsset }

  /// Whether there may be blocks that this instance does not have or cannot read.
  var mayHideBlocks: Bool {
    switch code {
    case .incomplete, .noKey, .notReadable, .withheld, .rolledBack: !isAsset
    default: isWrong && !isAsset
    }
  }

  /// Whether bytes are wrong or missing; in a fork, both branches are intact.
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
  /// Returns the problem at the end of reading a chain, if there is one.
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
