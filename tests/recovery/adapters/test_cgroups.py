"""Both versions of cgroups and both of Docker's drivers, from trees made of plain files."""

from __future__ import annotations

from pathlib import Path

import pytest

from recovery.adapters.cgroups import Cgroup, Cgroups

ID = "0123456789abcdef" * 4
OTHER = "fedcba9876543210" * 4


class Tree:
    def __init__(self, folder: Path) -> None:
        self.root, self.proc = folder / "sys", folder / "proc"
        self.groups = Cgroups(self.root, self.proc)

    def lives_in(self, pid: int, *lines: str) -> None:
        (self.proc / str(pid)).mkdir(parents=True, exist_ok=True)
        (self.proc / str(pid) / "cgroup").write_text("".join(f"{line}\n" for line in lines))

    def write(self, path: str, **files: str) -> None:
        folder = self.root / path
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name.replace("__", ".")).write_text(text)

    def of(self, pid: int) -> Cgroup:
        found = self.groups.of_container(pid, ID)
        assert found is not None
        return found


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.mark.parametrize("path", [f"system.slice/docker-{ID}.scope", f"docker/{ID}", f"bots.slice/docker-{ID}.scope"])
def test_version_2_under_either_driver(tree: Tree, path: str) -> None:
    tree.lives_in(17, f"0::/{path}")
    tree.write(
        path,
        cpu__stat="usage_usec 2500000\nuser_usec 1\nsystem_usec 2\n",
        memory__current="300000000\n",
        memory__stat="anon 150000000\nshmem 50000000\ninactive_file 100000000\nactive_file 7\n",
        memory__max="536870912\n",
        memory__events="low 0\noom 2\noom_kill 1\n",
        cgroup__freeze="0\n",
        cgroup__procs="17\n18\n",
    )
    tree.write(f"{path}/below", cgroup__procs="19\n0\n")
    group = tree.of(17)
    assert (group.cpu_seconds(), group.memory(), group.limit(), group.oom_kills()) == (2.5, 200_000_000, 536_870_912, 1)
    assert group.members() == [17, 18, 19]
    assert group.frozen() is False
    tree.write(path, cgroup__freeze="1\n", memory__max="max\n")
    assert group.frozen() is True
    assert group.limit() is None


@pytest.mark.parametrize("path", [f"docker/{ID}", f"system.slice/docker-{ID}.scope"])
def test_version_1_under_either_driver(tree: Tree, path: str) -> None:
    tree.lives_in(17, f"4:memory:/{path}", f"3:cpu,cpuacct:/{path}", f"2:freezer:/{path}", f"1:name=systemd:/{path}", "0::/")
    tree.write(f"cpu,cpuacct/{path}", cpuacct__usage="2500000000\n", cgroup__procs="17\n18\n")
    tree.write(
        f"memory/{path}",
        memory__usage_in_bytes="300000000\n",
        memory__stat="cache 9\nrss 1\ntotal_cache 99\ntotal_rss 200000000\ntotal_inactive_file 100000000\n",
        memory__limit_in_bytes="9223372036854771712\n",
        memory__oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
        cgroup__procs="17\n18\n",
    )
    tree.write(f"freezer/{path}", freezer__state="THAWED\n", cgroup__procs="17\n18\n")
    group = tree.of(17)
    assert (group.cpu_seconds(), group.memory(), group.limit(), group.oom_kills()) == (2.5, 200_000_000, None, 3)
    assert group.members() == [17, 18]
    assert group.frozen() is False
    for state in ("FREEZING\n", "FROZEN\n"):
        tree.write(f"freezer/{path}", freezer__state=state)
        assert group.frozen() is True
    tree.write(f"memory/{path}", memory__limit_in_bytes="268435456\n")
    assert group.limit() == 268_435_456


def test_where_both_versions_are_mounted_the_one_that_has_the_figure_gives_it(tree: Tree) -> None:
    tree.lives_in(17, f"2:memory:/docker/{ID}", f"0::/docker/{ID}")
    tree.write(f"unified/docker/{ID}", cpu__stat="usage_usec 1000000\n", cgroup__procs="17\n")
    tree.write(f"memory/docker/{ID}", memory__usage_in_bytes="1000\n", cgroup__procs="17\n")
    group = tree.of(17)
    assert (group.cpu_seconds(), group.memory()) == (1.0, 1000)


def test_an_init_that_moved_further_down_leads_to_the_container_itself(tree: Tree) -> None:
    path = f"system.slice/docker-{ID}.scope"
    tree.lives_in(17, f"0::/{path}/init.scope")
    tree.write(path, memory__current="5\n", cgroup__procs="")
    tree.write(f"{path}/init.scope", cgroup__procs="17\n", memory__current="1\n")
    tree.write(f"{path}/system.slice", cgroup__procs="18\n")
    assert tree.of(17).memory() == 5
    assert tree.of(17).members() == [17, 18]


def test_a_path_from_another_cgroup_namespace_never_leads_upwards(tree: Tree) -> None:
    tree.lives_in(17, f"0::/../../docker/{ID}")
    tree.write(f"docker/{ID}", memory__current="5\n")
    assert tree.of(17).memory() == 5


@pytest.mark.parametrize("line", [f"0::/docker/{OTHER}", "0::/", "0::/user.slice", "nonsense"])
def test_a_process_that_is_not_in_the_container_has_no_cgroup_of_it(tree: Tree, line: str) -> None:
    tree.lives_in(17, line)
    tree.write(f"docker/{ID}", cgroup__procs="17\n")
    assert tree.groups.of_container(17, ID) is None
    assert tree.groups.of_container(99, ID) is None
    assert tree.groups.of_container(17, "") is None


def test_what_is_gone_or_not_kept_is_none(tree: Tree) -> None:
    tree.lives_in(17, f"0::/docker/{ID}")
    group = tree.of(17)
    nothing = (group.cpu_seconds(), group.memory(), group.limit(), group.frozen(), group.oom_kills())
    assert nothing == (None,) * 5
    assert group.members() == []
