internal import SeaEngine

/// The result of one check of `sea doctor`, which finds problems before they cause trouble.
public struct DoctorCheck: Sendable, Hashable {
  /// Something that the user should know about and may have to act on.
  public struct Finding: Sendable, Hashable {
    /// The file, container or instance that the finding concerns.
    public let subject: String
    /// The finding in one word, as `sea doctor` prints it.
    public let code: String
    /// A description without a capital and a full stop, to be read after the subject.
    public let found: String
    /// The advice, usually a command; nil if there is none.
    public let advice: String?
  }

  /// A part that could not be checked.
  public struct Gap: Sendable, Hashable {
    /// The file or container; empty if the whole check failed.
    public let subject: String
    /// The reason.
    public let reason: String
  }

  /// The name of the check, as `sea doctor` accepts it.
  public let name: String
  /// The topic of the check, without a capital and a full stop.
  public let about: String
  /// The objects that were checked, such as `2 containers`; may be empty.
  public let checked: String
  /// The findings.
  public let findings: [Finding]
  /// The parts that could not be checked. Their state is unknown.
  public let gaps: [Gap]
  /// The names of the containers that are not available, which is not a fault.
  public let unavailable: [String]

  /// Whether everything was checked and nothing was found.
  public var isGood: Bool { findings.isEmpty && gaps.isEmpty }

  init(_ check: Check, _ examined: Examined) {
    (name, about, checked) = (check.rawValue, check.about, examined.words)
    findings = examined.findings.map { one in
      let words = one.words { Failure.text($0, block: $0.index.map { "\($0)" }, withPlace: false) }
      let advice = Doctor.canRepair(check) ? "sea doctor --fix \(check.rawValue)" : words.advice
      return Finding(subject: one.subject, code: one.code, found: words.found, advice: advice)
    }
    gaps = examined.unexamined.map { subject, reason in
      let isNote = reason is Doctor.NoNote
      return Gap(
        subject: subject,
        reason: isNote
          ? "this device has no note of this instance's last write, so a copy cannot be detected"
          : Failure.ofLibrary(reason).message)
    }
    unavailable = examined.unavailable
  }
}

extension Database.Care {
  /// Runs the checks of `sea doctor`, except the check of the hooks, which concerns only the command line. Changes
  /// nothing. Reads the lists of files in all attached containers.
  /// - Throws: `CancellationError` if the task is cancelled between two checks.
  public func doctor() async throws -> [DoctorCheck] {
    try await database.working(opensReadOnly: true) { engine in
      let doctor = engine.doctor
      return try Check.allCases.filter { $0 != .hooks }.map { check in
        try engine.settings.checkStop()
        return DoctorCheck(check, doctor.examine(check))
      }
    }
  }
}
