"""The page of `yarrow check --html`: a network before any build.

Every layer of the IR is drawn, with its attributes, the types and shapes of what it
makes, and its constants; on a target each says which unit would compute it. With
--browser a Chromium opens it (skipped where there is none).
"""
import os

import browser
import page_browser
import page_data
import page_views

VIEWS = ("graph", "findings", "layers")


def make_page(tools):
    digits = os.path.join(tools.root, "examples", "digits")
    path = tools.path("model.html")
    said = tools.yarrow("check", os.path.join(digits, "digits.txt"), "--html", path)
    tools.check("page: " in said, f"check says {said!r}")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    page_data.check_frame(tools, text)
    tools.check(tools.root not in text and os.path.dirname(path) not in text, "the page tells of folders")
    build, = page_data.builds_of(text)
    return path, build


def check_data(tools, build):
    picture, facts = build["picture"], build["layer_facts"]
    page_data.check_drawing(tools, picture)
    tools.check(len(picture["places"]) == len(picture["layers"]), "layers without a place")
    units = {layer["type"]: place[0] for layer, place in zip(picture["layers"], picture["places"])}
    tools.check(units["Convolution"] == "tensor", f"a Convolution is on {units['Convolution']}")
    by_name = {entry["name"]: entry for entry in facts}
    for layer in picture["layers"]:
        tools.check(layer["name"] in by_name, f"nothing is known of {layer['name']}")
        tools.check(all(result["type"] and result["shape"] for result in layer["results"]),
                    f"{layer['name']} makes tensors without types")
        if layer["type"] == "Convolution":
            own = by_name[layer["name"]]
            tools.check({"kernel_x", "stride_x", "pad_left"} <= set(own["attributes"]), f"{own['attributes']}")
            tools.check([part["key"] for part in own["constants"]][:1] == ["weights"] and
                        own["constants"][0]["values"]["counts"], f"{layer['name']} has no weights")
    tools.check(sum(layer["macs"] for layer in picture["layers"]) > 0, "no multiplications are counted")


def open_page(tools, path, build):
    with browser.open_browser() as chromium:
        seconds = chromium.load(path)
        print(f"{os.path.getsize(path):,} bytes, {seconds:.2f} s to load")
        tabs = chromium.run("[...document.querySelectorAll('[role=tab]')].map(t => t.id.slice(4)).join()")
        tools.check(tabs == ",".join(VIEWS), f"views are {tabs}")
        for view in VIEWS:
            page_views.show(chromium, view)
            for is_dark in (False, True):
                chromium.set_dark(is_dark)
                chromium.settle()
                if tools.options.pictures:
                    chromium.picture(os.path.join(tools.options.pictures, f"model_{view}_{'dark' if is_dark else 'light'}.png"))
                contrast = chromium.run(page_browser.CONTRAST)
                tools.check(contrast["seen"] > 10 and not contrast["bad"], f"{view} cannot be read: {contrast['bad'][:3]}")
            chromium.set_dark(False)
        index, layer = next((i, l) for i, l in enumerate(build["picture"]["layers"]) if l["type"] == "Convolution")
        node = len(build["picture"]["inputs"]) + index
        page_views.show(chromium, "graph")
        shown = chromium.run(f"document.querySelector('.node[data-id=\"{node}\"]').textContent")
        own = next(entry for entry in build["layer_facts"] if entry["name"] == layer["name"])
        window = f"{own['attributes']['kernel_y']}×{own['attributes']['kernel_x']}"
        tools.check(window in shown, f"the node of {layer['name']} does not show {window}: {shown}")
        chromium.run(f"document.querySelector('.node[data-id=\"{node}\"]').dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
        if tools.options.pictures:
            chromium.picture(os.path.join(tools.options.pictures, "model_details_light.png"))
        details = chromium.run("document.getElementById('details').innerText")
        for text in (layer["name"], "tensor engine", "kernel_x", "weights", "×".join(map(str, layer["results"][0]["shape"])),
                     layer["results"][0]["type"]):
            tools.check(text.lower() in details.lower(), f"the details lack {text!r}")
        tools.check(chromium.run("document.querySelectorAll('#details .histogram').length") >= 1, "no histogram of weights")
        name, text = page_views.saved(tools, chromium, "graph", "SVG")
        tools.check(layer["name"] in text, f"{name} lacks {layer['name']}")
        _, text = page_views.saved(tools, chromium, "layers", "CSV")
        tools.check(len(text.splitlines()) == len(build["picture"]["layers"]) + 1, "the CSV has other rows")
        tools.check(not chromium.complaints, f"{chromium.complaints}")


def main():
    tools = page_views.arguments("Check the page of yarrow check")
    path, build = make_page(tools)
    check_data(tools, build)
    if tools.options.browser:
        open_page(tools, path, build)
    tools.finish()


if __name__ == "__main__":
    main()
