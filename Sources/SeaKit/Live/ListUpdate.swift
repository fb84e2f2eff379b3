/// A step from one state of a list to the next. Steps are done one after another: each index is of the list as the one before left it.
public enum ListDifference<Element> {
  /// An element that is there since.
  case insert(Element, at: Int)
  /// An element that is there no more.
  case remove(at: Int)
  /// An element that says something else, in the same place.
  case update(Element, at: Int)
  /// An element that says something else, and so stands elsewhere: it is taken out first, and put in at the second place then.
  case move(Element, from: Int, to: Int)
}

extension ListDifference: Sendable where Element: Sendable {}

/// What has become of a list.
public enum ListUpdate<Element> {
  /// All of it: at the beginning, and when more has changed than stays.
  case all([Element])
  /// What is different.
  case differences([ListDifference<Element>])

  /// Does to a list what was done.
  public func apply(to list: inout [Element]) {
    switch self {
    case .all(let elements): list = elements
    case .differences(let differences):
      for one in differences {
        switch one {
        case .insert(let element, let at): list.insert(element, at: at)
        case .remove(let at): list.remove(at: at)
        case .update(let element, let at): list[at] = element
        case .move(let element, let from, let to):
          list.remove(at: from)
          list.insert(element, at: to)
        }
      }
    }
  }
}

extension ListUpdate: Sendable where Element: Sendable {}
