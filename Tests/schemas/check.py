"""Holds what commands printed with --json against the schemas: check.py SCHEMAS LOG

LOG has a file for each command, with the lines that it printed; `talk` those of standard error, `help` among others the
table of all commands. A line must be of one of the kinds in the schema of its command and have no key that is not in it
(for readers further keys are allowed: they may come). Every command has a schema, and every kind was seen.
"""
import json, os, sys
from jsonschema import Draft202012Validator, RefResolver

# What cannot be made to happen in a second or two, and what never is.
UNSEEN = {"serve.json: none", "studio.json: none", "fetch-assets.json: failed", "cat-block.json: ambiguous"}


def strict(schema):
    """The same, without room for other keys."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: strict(value) for key, value in schema.items()}
    if "required" in schema and "properties" in schema:
        schema.setdefault("additionalProperties", False)
    return schema


folder, log = sys.argv[1:]
schemas = {}
for name in os.listdir(folder):
    with open(f"{folder}/{name}", encoding="utf8") as file:
        schemas[name] = strict(json.load(file))
    Draft202012Validator.check_schema(schemas[name])
faults, lines = [], 0


def kinds(name):
    """The kinds of lines of a command: their names, and what validates them."""
    for kind in schemas[name]["anyOf"]:
        resolver = RefResolver(base_uri=name, referrer=schemas[name], store=schemas)
        yield kind["$ref"].rsplit("/")[-1], Draft202012Validator(kind, resolver=resolver)


def explain(line, validators):
    """Why a line is of none of the kinds: of that with its event, if there is one."""
    for kind, validator in validators.items():
        errors = list(validator.iter_errors(line))
        if len(validators) == 1 or not any("const" in e.schema and list(e.path) == ["event"] for e in errors):
            return f"no {kind}: " + "; ".join(f"{e.json_path}: {e.message[:200]}" for e in errors)
    return "no such kind"


with open(f"{log}/help", encoding="utf8") as file:
    table = {line["command"]: line for line in map(json.loads, file)}
del table["sea"]
for command in table:
    if table[command]["schema"] not in schemas:
        faults.append(f"{command} has no schema")
wanted, seen = set(), UNSEEN.copy()
for name in sorted(schemas.keys() - {"common.json"}):
    command = name.removesuffix(".json")
    if command not in table and command != "talk":
        faults.append(f"{name} is of no command")
    if not os.path.exists(f"{log}/{command}"):
        faults.append(f"{command} was not run")
        continue
    # Some commands say what another one says.
    source = schemas[name].get("$ref", name)
    validators = dict(kinds(source))
    wanted |= {f"{source}: {kind}" for kind in validators}
    with open(f"{log}/{command}", encoding="utf8") as file:
        for text in file:
            lines += 1
            line = json.loads(text)
            fitting = {f"{source}: {kind}" for kind, validator in validators.items() if validator.is_valid(line)}
            if not fitting:
                faults.append(f"{command}: {explain(line, validators)}\n  {text[:400].rstrip()}")
            seen |= fitting
faults += [f"{kind} was not seen" for kind in sorted(wanted - seen)]
print(f"{lines} lines of {len(table)} commands, {len(faults)} faults")
print("\n".join(faults))
sys.exit(bool(faults))
