"""A base image with Python packages on a real engine: the isolated interpreter finds them, made once, nothing left."""

from __future__ import annotations

import pytest

from envwheel.api import BaseImage

pytestmark = [pytest.mark.e2e, pytest.mark.needs("network")]

TAG = "envwheel/test:wheels"
DOCKERFILE = """FROM envwheel/base:bookworm
COPY wheels /usr/local/lib/python3.11/dist-packages
RUN python3 -m compileall -q --invalidation-mode unchecked-hash /usr/local/lib/python3.11/dist-packages
"""
BASE = BaseImage(TAG, DOCKERFILE, wheels=("et_xmlfile==2.0.0", "lxml==6.1.3"))


def test_packages_are_importable_compiled_and_made_once(engine, start):
    image = engine.ensure(BASE)
    shell = start(image=image.id).shell()
    ran = shell.run("/usr/bin/python3 -I -c 'import et_xmlfile, lxml.etree; print(et_xmlfile.__cached__)'")
    assert ran.output.startswith("/usr/local/lib/python3.11/dist-packages/et_xmlfile/__pycache__/__init__.cpython-311")
    assert shell.run("test -s $(python3 -Ic 'import et_xmlfile; print(et_xmlfile.__cached__)')").exit_code == 0
    assert shell.run("find / -xdev -name '*.whl' -o -xdev -name wheels.txt 2>/dev/null").output == ""
    assert engine.ensure(BASE).id == image.id
