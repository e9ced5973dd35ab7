#!/usr/bin/env python3
"""Checks what stands in this folder: every schema is one, every example fits its schema, every invalid example
does not, and every schema has both; openapi.json is whole in itself, and each of its examples fits. Needs jsonschema 4
(Debian: python3-jsonschema); where openapi_spec_validator is installed, it judges openapi.json too.

usage: contracts/check.py        prints the failures and «N passed, M failed»; exit code 1 when something failed
"""
import json
import pathlib
import re
import sys

import jsonschema

HERE = pathlib.Path(__file__).resolve().parent
SCHEMAS = HERE / "schemas"
EXAMPLES = HERE / "examples"

passed = 0
failures = []


def check(name, fault):
    """Counts one check; `fault` is None where it holds, else what is wrong."""
    global passed
    if fault is None:
        passed += 1
    else:
        failures.append(f"{name}: {fault}")


def urn(event, version):
    dotted = ".".join(part.lower() for part in re.findall("[A-Z][^A-Z]*", event))
    return f"urn:refundlog:schema:{dotted}.v{version}"


def strict(text):
    """JSON in which no key stands twice and no constant is made up."""

    def pairs(members):
        keys = [key for key, _ in members]
        if len(keys) != len(set(keys)):
            raise ValueError("a key stands twice")
        return dict(members)

    def constant(word):
        raise ValueError(f"{word} is no JSON")

    return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def stored_form(event, data):
    """Stored data has sorted keys and no white space; two kinds keep an order of their own. The digits of a number
    with a point or an exponent cannot be written again by this language, so such data is compared without them."""
    text = data.decode()
    if text != text.strip():
        return "white space around the data"
    if event in ("NotificationReceived", "CloudEvent"):
        return None
    number = re.compile(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?")
    if number.sub(b"0", canonical(strict(text))) != number.sub(b"0", data):
        return "not in stored form: sorted keys, no white space, slashes not escaped"
    return None


def first_error(validator, value):
    error = jsonschema.exceptions.best_match(validator.iter_errors(value))
    return None if error is None else f"{error.json_path}: {error.message[:200]}"


validators = {}
for path in sorted(SCHEMAS.glob("*.json")):
    event, version = re.fullmatch(r"(\w+)\.v(\d+)\.json", path.name).groups()
    schema = strict(path.read_text("utf-8"))
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
        check(path.name, None)
    except jsonschema.exceptions.SchemaError as error:
        check(path.name, error.message)
    wrong = [key for key in ("$schema", "title", "description", "required", "properties") if not schema.get(key)]
    check(f"{path.name} for people", f"without {', '.join(wrong)}" if wrong else None)
    check(f"{path.name} $id", None if schema.get("$id") == urn(event, version) else f"is not {urn(event, version)}")
    undescribed = [key for key, value in schema["properties"].items() if not value.get("description")]
    check(f"{path.name} members", f"without description: {', '.join(undescribed)}" if undescribed else None)
    validators[event, version] = jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.draft202012_format_checker
    )

for (event, version), validator in validators.items():
    examples = sorted((EXAMPLES / event / f"v{version}").glob("*.json"))
    check(f"{event} v{version} examples", None if examples else "there are none")
    for path in examples:
        name = str(path.relative_to(HERE))
        data = path.read_bytes()
        check(name, first_error(validator, strict(data.decode())))
        check(f"{name} form", stored_form(event, data))
    invalid = sorted((EXAMPLES / "invalid" / event).glob("*.json"))
    check(f"{event} invalid examples", None if invalid else "there are none")
    for path in invalid:
        fault = first_error(validator, strict(path.read_text("utf-8")))
        check(str(path.relative_to(HERE)), "the schema accepts it" if fault is None else None)

# Data inside an envelope fits the schema the envelope names, where this release knows it.
by_id = {validator.schema["$id"]: validator for validator in validators.values()}
for path in sorted((EXAMPLES / "CloudEvent" / "v1").glob("*.json")):
    envelope = strict(path.read_text("utf-8"))
    inner = by_id.get(envelope["dataschema"])
    if inner is not None and "data" in envelope:
        check(f"{path.relative_to(HERE)} data", first_error(inner, envelope["data"]))

known = {event for event, _ in validators} | {"invalid"}
for folder in sorted(EXAMPLES.iterdir()):
    check(f"examples/{folder.name}", None if folder.name in known else "has no schema")

# The HTTP API.
OPENAPI_SHAPE = {
    "type": "object",
    "required": ["openapi", "info", "servers", "security", "paths", "components"],
    "properties": {
        "openapi": {"const": "3.1.0"},
        "info": {"required": ["title", "version", "description"]},
        "paths": {
            "propertyNames": {"pattern": r"^/v1(/[a-z]+|/\{[a-zA-Z]+\})+$"},
            "additionalProperties": {
                "propertyNames": {"enum": ["get", "put", "post", "delete"]},
                "additionalProperties": {
                    "required": ["operationId", "summary", "description", "security", "x-scope", "responses"],
                    "properties": {
                        "x-scope": {"enum": ["backend", "support", "read", "operate"]},
                        "parameters": {"items": {"required": ["name", "in", "required", "description", "schema"]}},
                        "requestBody": {"required": ["required", "content"]},
                        "responses": {
                            "minProperties": 2,
                            "propertyNames": {"pattern": "^[2-5][0-9]{2}$"},
                            "additionalProperties": {"required": ["description", "content"]},
                        },
                    },
                },
            },
        },
        "components": {
            "required": ["securitySchemes", "schemas"],
            "properties": {"schemas": {"additionalProperties": {"required": ["description"]}}},
        },
    },
}


def resolved(value, document, inside=()):
    """The value with every reference replaced by what it leads to; fails where one leads nowhere or into itself."""
    if isinstance(value, list):
        return [resolved(element, document, inside) for element in value]
    if not isinstance(value, dict):
        return value
    target = value.get("$ref")
    if target is None:
        return {key: resolved(element, document, inside) for key, element in value.items()}
    if not target.startswith("#/") or target in inside:
        raise ValueError(f"{target} leads out of the document, or into itself")
    place = document
    for part in target[2:].split("/"):
        if part not in place:
            raise ValueError(f"{target} leads nowhere")
        place = place[part]
    return resolved(place, document, inside + (target,))


def check_openapi(path):
    document = strict(path.read_text("utf-8"))
    check("openapi.json shape", first_error(jsonschema.Draft202012Validator(OPENAPI_SHAPE), document))
    whole = None
    try:
        whole = resolved(document, document)
        check("openapi.json references", None)
    except ValueError as error:
        check("openapi.json references", str(error))
        return
    text = path.read_text("utf-8")
    for name, schema in whole["components"]["schemas"].items():
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
            check(f"openapi.json schema {name}", None)
        except jsonschema.exceptions.SchemaError as error:
            check(f"openapi.json schema {name}", error.message)
        check(f"openapi.json schema {name} use", None if f"#/components/schemas/{name}\"" in text else "nobody uses it")
    ids = []
    for template, operations in whole["paths"].items():
        for method, operation in operations.items():
            name = f"openapi.json {method.upper()} {template}"
            ids.append(operation["operationId"])
            parameters = operation.get("parameters", [])
            named = [parameter["name"] for parameter in parameters if parameter["in"] == "path"]
            check(f"{name} path", None if named == re.findall(r"\{(\w+)\}", template) else "other parameters than its path")
            for parameter in parameters:
                schema = jsonschema.Draft202012Validator(parameter["schema"])
                if "example" in parameter:
                    check(f"{name} {parameter['name']}", first_error(schema, parameter["example"]))
            bodies = [("body", operation["requestBody"])] if "requestBody" in operation else []
            bodies += list(operation["responses"].items())
            for status, body in bodies:
                for media, content in body["content"].items():
                    isError = status[0] in "45"
                    expected = "application/problem+json" if isError else "application/json"
                    check(f"{name} {status} media type", None if media == expected else f"is {media}")
                    schema = jsonschema.Draft202012Validator(content["schema"])
                    check(f"{name} {status} examples", None if content.get("examples") else "there are none")
                    for key, example in content.get("examples", {}).items():
                        check(f"{name} {status} example {key}", first_error(schema, example["value"]))
                        if isError:
                            agrees = str(example["value"]["status"]) == status
                            check(f"{name} {status} status of {key}", None if agrees else "is another")
            check(f"{name} 401", None if "401" in operation["responses"] else "is missing")
    check("openapi.json operationId", None if len(ids) == len(set(ids)) else "one stands twice")
    try:
        from openapi_spec_validator import validate
    except ImportError:
        return
    try:
        validate(document)
        check("openapi.json by openapi_spec_validator", None)
    except Exception as error:  # whatever it throws is its verdict
        check("openapi.json by openapi_spec_validator", str(error)[:200])


check_openapi(HERE / "openapi.json")

for failure in failures:
    print(failure)
print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
