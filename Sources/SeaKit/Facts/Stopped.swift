/// Work was asked to stop, and did so at a place where nothing is half done.
package struct Stopped: Error, Equatable {
  package init() {}
}
