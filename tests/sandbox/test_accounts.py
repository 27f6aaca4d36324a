"""Users of a box, from files that the box wrote."""

from __future__ import annotations

import pytest

from envwheel.sandbox.accounts import Account, account

PASSWD = "root:x:0:0:root:/root:/bin/bash\nagent:x:1000:1000::/home/agent:/bin/bash\nbroken:x\n7:x:42:42::/seven:\n"
GROUP = "root:x:0:\nagent:x:1000:\nextra:x:50:other,agent\nodd:x:no:agent\n"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("root", Account(0, 0, (0,), "/root")),
        ("agent", Account(1000, 1000, (50, 1000), "/home/agent")),
        ("1000", Account(1000, 1000, (50, 1000), "/home/agent")),
        ("7", Account(42, 42, (42,), "/seven")),
        ("agent:extra", Account(1000, 50, (50,), "/home/agent")),
        ("0:77", Account(0, 77, (77,), "/root")),
        ("4242", Account(4242, 0, (0,), "/")),
    ],
)
def test_users_are_found_by_name_and_number(name, found):
    assert account(name, PASSWD, GROUP) == found


@pytest.mark.parametrize(("name", "words"), [("nosuch", "user 'nosuch'"), ("root:nosuch", "group 'nosuch'")])
def test_who_is_not_there_is_said(name, words):
    with pytest.raises(LookupError, match=words):
        account(name, PASSWD, GROUP)


def test_a_box_without_users_has_root():
    assert account("0", "", "") == Account(0, 0, (0,), "/")
