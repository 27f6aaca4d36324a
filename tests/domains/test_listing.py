"""Listing installed domains from metadata alone."""

from __future__ import annotations

import sys

import pytest

from envwheel.errors import SetupError
from envwheel.listing import canonical, find, installed


def listed(id: str) -> list:
    return [one for one in installed() if one.id == id]


def test_a_domain_is_listed_without_importing_it(plant):
    module = plant("quiet", "raise RuntimeError('imported')")
    (one,) = listed("quiet")
    assert (one.distribution, one.version, one.value, one.problem) == ("some-quiet", "1.0", module, "")
    assert module not in sys.modules


@pytest.mark.parametrize(
    ("requires", "core"),
    [
        ("envwheel>=0.1,<0.2", ">=0.1,<0.2"),
        ("envwheel (>=0.1)", ">=0.1"),
        ("envwheel[local] ~=0.1 ; python_version > '3'", "~=0.1"),
        ("envwheel", ""),
        ("envwheel-tools>=3", ""),
        ("", ""),
    ],
)
def test_the_range_of_the_core_is_read_from_metadata(plant, requires, core):
    plant("ranged", requires=requires)
    assert listed("ranged")[0].core == core


def test_equal_names_and_values_are_one_domain(plant, tmp_path, monkeypatch):
    module = plant("twin", dist="Some.Twin")
    plant.metadata("some-twin", f"[envwheel.domains]\ntwin = {module}\n", version="0.9")
    assert len(listed("twin")) == 1
    assert find("twin").problem == ""


def test_a_clash_names_both_distributions(plant):
    plant("torn", dist="first-torn")
    plant("torn", dist="second-torn", version="2.5")
    with pytest.raises(SetupError, match=r"first-torn 1\.0 .*second-torn 2\.5 .*both claim the name 'torn'"):
        find("torn")
    assert len(listed("torn")) == 2


def test_an_unknown_domain_names_what_is_there_and_the_line_that_installs_it(plant):
    plant("here")
    with pytest.raises(SetupError) as caught:
        find("no-such_thing")
    text = str(caught.value)
    assert text.startswith("Domain 'no-such_thing' is not installed. Installed: ")
    assert "here" in text
    assert text.endswith("pip install 'envwheel[no-such-thing]'")


def test_hyphens_and_underscores_name_the_same_domain(plant):
    plant("computer_using")
    assert find("computer-using").id == "computer_using" == canonical("computer-using")


def test_unreadable_metadata_costs_its_own_distribution_only(plant):
    plant("fine")
    plant.metadata("garbled", "[envwheel.domains]\nno equals sign here\n")
    assert listed("fine")[0].problem == ""
    (garbled,) = listed("garbled")
    assert "cannot be read" in garbled.problem


def test_foreign_groups_are_not_domains(plant):
    plant.metadata("foreign", "[console_scripts]\nforeign = foreign:main\n")
    assert not [one for one in installed() if one.distribution == "foreign"]
