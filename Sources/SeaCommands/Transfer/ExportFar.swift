import SeaEngine
import SeaSystem
import SeaWords

extension ExportRun {
  /// Into an exchange folder elsewhere.
  func into(elsewhere location: String) throws -> ExitStatus { try retried { try intoOnce(elsewhere: location) } }

  private func intoOnce(elsewhere location: String) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    let place = try FarExchange.at(location, for: database, session)
    let survey = try place.survey(for: database.bundles)
    try retention?.check(survey, of: location)
    warn(of: survey)
    let plan = try plan(in: survey)
    guard plan.isNews else {
      if !isDry { try ExchangePlace.elsewhere(place).leaveWord(of: database.bundles, isWritten: true) }
      try session.terminal.remark("nothing new for \(location); nothing was written")
      let status = nothingNew()
      if isDry {
        try retention?.preview(survey, adding: nil)
      } else {
        try retention?.run(.elsewhere(place), survey, adding: nil)
      }
      return status
    }
    let name = try name(for: plan, taken: place.folder.taken())
    let shown = Path.join(location, name)
    try sayBase(plan, survey)
    if isDry {
      let status = try wouldWrite(plan, shown)
      try retention?.preview(survey, adding: plan)
      return status
    }
    let exported = try write(plan, named: name, to: .elsewhere(place), as: shown)
    try ExchangePlace.elsewhere(place).leaveWord(of: database.bundles, isWritten: true)
    try tell(plan, exported, shown)
    try retention?.run(.elsewhere(place), survey, adding: plan)
    return .success
  }
}
