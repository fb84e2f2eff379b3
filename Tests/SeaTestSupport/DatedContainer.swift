import SeaContainer
import SeaCore

/// Sets the modification time of block files.
package final class DatedContainer: PassingContainer {
  package var changed: Int64 = 0

  package init(_ inner: any Container) { super.init(inner) }

  package override func survey(_ chain: BranchID) throws(ContainerError) -> BranchSurvey {
    var survey = try super.survey(chain)
    survey.singles = survey.singles.map { .init(index: $0.index, size: $0.size, changed: changed) }
    return survey
  }
}
