import SeaEngine
import SeaSystem
import SeaWords

extension Option {
  static let timeLimit = Option(
    "time-limit", nil, .duration, "TIME", "begin nothing more after TIME, and leave the rest for the next run")
  static let sizeLimit = Option(
    "size-limit", nil, .size, "SIZE", "move at most SIZE bytes of blocks and assets, and leave the rest")
  static let limitRate = Option("limit-rate", nil, .size, "SIZE", "move at most SIZE bytes in a second, 1K or more")
  static let farRate = Option(
    "limit-rate", nil, .size, "SIZE", "exchange at most SIZE bytes in a second with a place elsewhere, 1K or more")
  static let jobs = Option(
    "jobs", nil, .atOnce, "N", "do at most N things at once, 1 to 64: requests to a place elsewhere, and threads")
  /// Those of commands that move blocks and assets.
  static let limits = [timeLimit, sizeLimit, limitRate, jobs]
  static let limitForms = "[--time-limit=TIME] [--size-limit=SIZE] [--limit-rate=SIZE] [--jobs=N]"
}

extension Arguments {
  /// Sets what this run may move, if the command line limits it. Before a database is opened, or a helper is started.
  /// - Parameter passesOver: whether what is too large is left, and what is smaller goes on.
  func limit(_ session: Session, passesOver: Bool = false) throws {
    try bound(session)
    let throttle = try throttle()
    let (time, size) = (duration(.timeLimit), has(.sizeLimit) ? self.size(.sizeLimit) : nil)
    let allowance = Allowance(
      seconds: time, bytes: size, throttle: throttle, passesOver: passesOver,
      stops: { [host = session.host] in host.stopSignal() != nil })
    if throttle != nil || time != nil { Containers.pace(session.helpers, throttle, until: allowance.ends) }
    session.allowance = allowance
  }

  /// Sets how much may be done at once, if the command line or a setting says so.
  private func bound(_ session: Session) throws {
    guard let jobs = try text(.jobs).flatMap({ Int($0) }) ?? session.config().integer("sync.jobs") else { return }
    Containers.bound(session.helpers, jobs: jobs)
  }

  /// Sets how fast helpers are talked to, if the command line says so: for what moves no blocks of its own.
  func pace(_ session: Session) throws {
    try bound(session)
    if let throttle = try throttle() { Containers.pace(session.helpers, throttle, until: nil) }
  }

  private func throttle() throws(UsageFault) -> Throttle? {
    guard let rate = size(.limitRate) else { return nil }
    // Slower than that a helper counts as one that says nothing.
    guard rate >= 1024 else {
      throw .badValue(
        option: Option.limitRate.dashed, value: text(.limitRate) ?? "", expected: .choice(["1K or more"]))
    }
    return Throttle(rate: rate)
  }
}

extension Left {
  /// For people: what the next run goes on with.
  /// - Parameter hasBegun: whether something was done, where it is not known what is left.
  func words(_ limit: Allowance.Limit, hasBegun: Bool = false) -> String {
    var parts: [String] = []
    if pull > 0 { parts.append("\(Count(pull, "block")) to take in") }
    if push > 0 { parts.append("\(Count(push, "block")) to hand over") }
    if assets > 0 { parts.append(Count(assets, "asset").description) }
    let what = parts.isEmpty ? hasBegun ? "the rest left" : "not looked at" : "left \(parts.joined(separator: ", "))"
    return "\(what) for another time: \(limit == .interrupt ? "interrupted" : "--\(limit.rawValue)-limit")"
  }
}

extension Item {
  /// What a run has left, if it has left anything.
  static func left(_ left: Left, _ limit: Allowance.Limit?) -> Item {
    guard let limit else { return [:] }
    return [
      "limit": .text(limit.rawValue), "left_pull": .integer(left.pull), "left_push": .integer(left.push),
      "left_assets": .integer(left.assets),
    ]
  }
}
