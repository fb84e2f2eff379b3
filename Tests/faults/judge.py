"""Who judges the states that a crash or a fault leaves: a program in Python that is loaded once, not once for each state.

Its main(STATE, OUT, ...) ends by itself if all holds, else by sys.exit behind a line that says what does not; its
prepare(STATE), if it has one, is called before a command works on a copy of the state.
"""
import contextlib, importlib.util, io, multiprocessing, os, sys, traceback


class Judge:
    def __init__(self, path):
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        spec = importlib.util.spec_from_file_location("judge_of_states", path)
        self.program = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.program)

    def prepare(self, state):
        if hasattr(self.program, "prepare"):
            self.program.prepare(state)

    def __call__(self, state, *facts):
        """What is wrong; nothing if all holds."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            try:
                self.program.main(state, *map(str, facts))
                return ""
            except SystemExit:
                pass
            except Exception:
                print(traceback.format_exc())
        return said.getvalue().strip()[-300:] or "it does not say what is wrong"

    @staticmethod
    def map(work, items, processes):
        """The results of `work` for each, by some processes that share the work and what was made ready before."""
        global task
        task = work
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            yield from pool.imap(do_task, items)


def do_task(item):
    return task(item)
