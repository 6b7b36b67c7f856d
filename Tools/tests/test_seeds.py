"""The seeds are reproducible and keep the rules of seed format 1."""

import json
import pathlib
import subprocess
import unittest
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KIND_TAGS = {"music": {"locations", "moods", "themes"},
             "atmosphere": {"locations", "moods", "themes"},
             "sfx": {"locations", "moods", "themes", "creatureTypes"}}


def run(*arguments):
    return subprocess.run(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def generate(*arguments):
    return run("Tools/generate-seed", *arguments).stdout


class SeedTests(unittest.TestCase):
    def assert_follows_the_rules(self, seed):
        ids, playlists = [], []
        groups = [("music", seed["music"])] + [(p["kind"], p["items"]) for p in seed["packs"]]
        for kind, items in groups:
            for item in items:
                ids.append(item["id"])
                playlists += [item["appleMusicPlaylistId"]] if kind == "music" else []
                self.assertEqual(set(item["tags"]), KIND_TAGS[kind])
                for key, names in item["tags"].items():
                    key = f"{kind}Themes" if key == "themes" else key
                    self.assertLessEqual(set(names), set(seed["dimensions"][key]))
                    self.assertEqual(names, sorted(set(names), key=str.encode))
        ids += [pack["id"] for pack in seed["packs"]]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(len(playlists), len(set(playlists)))
        for id in ids:
            self.assertEqual(str(uuid.UUID(id)), id)
        for names in seed["dimensions"].values():
            self.assertEqual(len(names), len(set(names)))

    def test_starter_seed_is_what_its_sources_give(self):
        done = run("Tools/make-starter-seed", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_starter_seed_follows_the_rules(self):
        seed = json.loads((ROOT / "Seeds/starter.json").read_text("utf-8"))
        self.assert_follows_the_rules(seed)
        shipped = json.loads((ROOT / "Seeds/sources/vocabularies.json").read_text("utf-8"))
        for key, names in shipped.items():
            self.assertEqual(seed["dimensions"][key][:len(names)], names)
        self.assertEqual(len(seed["music"]), 5)
        self.assertEqual(sum(len(pack["items"]) for pack in seed["packs"]), 447 + 656)

    def test_generated_seeds_are_reproducible_and_follow_the_rules(self):
        text = generate("--items", "500", "--tags", "4", "--values", "80", "--packs", "7")
        self.assertEqual(text, generate("--items", "500", "--tags", "4", "--values", "80",
                                        "--packs", "7"))
        seed = json.loads(text)
        self.assert_follows_the_rules(seed)
        self.assertEqual(len(seed["packs"]), 7)
        self.assertEqual({len(names) for names in seed["dimensions"].values()}, {80})
        self.assertEqual(len(seed["music"]) + sum(len(p["items"]) for p in seed["packs"]), 500)

    def test_a_revision_changes_the_share_that_was_asked_for(self):
        def items(revision):
            seed = json.loads(generate("--items", "1000", "--revision", revision, "--change", "2"))
            packs = seed["packs"]
            return seed["music"] + [item for pack in packs for item in pack["items"]]
        old, new = items("1"), items("2")
        self.assertEqual([item["id"] for item in old], [item["id"] for item in new])
        self.assertEqual(sum(a != b for a, b in zip(old, new)), 20)

    def test_wrong_arguments_are_told(self):
        self.assertEqual(run("Tools/generate-seed", "--items", "none").returncode, 64)


if __name__ == "__main__":
    unittest.main()
