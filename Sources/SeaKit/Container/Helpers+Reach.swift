package import class SeaContainer.Helpers

extension Helpers {
  /// Serves the containers that the program implements, keyed by scheme, on threads of this process.
  /// - Parameter isStopped: returns whether the work was cancelled.
  package func reach(
    _ containers: [String: @Sendable (_ location: String) async throws -> any Container],
    until isStopped: @escaping () -> Bool = { false }
  ) {
    self.isStopped = isStopped
    answers = { place in
      containers[place.scheme].map { make in ContainerServer.answering { try await make(place.location) } }
    }
  }
}
