def judge(said, body): return {}
def vectors(): return []
