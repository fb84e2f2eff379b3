package import class SeaContainer.Helpers

extension Helpers {
  /// Has threads of this process answer for places of these schemes.
  /// - Parameter isStopped: whether whoever waits has been told to stop.
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
