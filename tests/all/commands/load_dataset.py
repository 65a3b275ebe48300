"""Loads a dataset folder as anybody would, and says what is in it as JSON. Exits with 77 where `datasets` is not installed."""

import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
try:
    import datasets
    from huggingface_hub import DatasetCard
except ImportError:
    sys.exit(77)

folder, cache = sys.argv[1:]
datasets.disable_progress_bars()
tables = {}
for name in datasets.get_dataset_config_names(folder):
    table = datasets.load_dataset(folder, name, split="train", cache_dir=cache)
    types = {column: feature.dtype for column, feature in table.features.items()}
    tables[name] = {"rows": table.to_list(), "types": types}
# What is no card of the hub's raises here.
card = DatasetCard.load(os.path.join(folder, "README.md"))
print(json.dumps({"tables": tables, "card": card.data.to_dict()}))
