"""
The calls of libboscage, on arrays that are checked here. The modules of the package are for people.
"""

from typing import Annotated, Any, Callable

from numpy.typing import NDArray

class Where:
    def __init__(
        self, backend: str = "cpu", device: int = 0, threads: int = 0, stream: int = 0, progress: object | None = None
    ) -> None: ...
    @property
    def backend(self) -> str: ...
    @property
    def device(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def stream(self) -> int: ...
    def info(self) -> dict: ...
    def sync(self) -> None: ...

class Memory:
    @property
    def address(self) -> int: ...
    @property
    def bytes(self) -> int: ...

def allocate(where: Where, bytes: int) -> Memory: ...
def copy(where: Where, to: int, from_: int, bytes: int) -> None: ...
def at_address(address: int, shape: tuple, kind: str, bits: int, device: int, owner: object) -> Any: ...
class Lock: ...

def call_reading(method: Callable[..., Any], args: tuple, kwargs: dict) -> Any: ...
def call_writing(method: Callable[..., Any], args: tuple, kwargs: dict) -> Any: ...
def call_reading_both(other: Any, method: Callable[..., Any], args: tuple, kwargs: dict) -> Any: ...
def version() -> str: ...
def device_count() -> int: ...
def backend_reason(arg: str, /) -> str: ...
def sort_keys(where: Where, keys: Annotated[NDArray, dict(writable=False)], sorted: NDArray) -> None: ...
def sort_pairs(
    where: Where,
    keys: Annotated[NDArray, dict(writable=False)],
    values: Annotated[NDArray, dict(writable=False)],
    sorted: NDArray,
    moved: NDArray,
) -> None: ...
def compact(
    where: Where,
    values: Annotated[NDArray, dict(writable=False)],
    keep: Annotated[NDArray, dict(writable=False)],
    out: NDArray,
) -> int: ...
def reduce(where: Where, op: int, values: Annotated[NDArray, dict(writable=False)], result: NDArray) -> None: ...
def scan(
    where: Where, op: int, exclusive: bool, values: Annotated[NDArray, dict(writable=False)], heads: Annotated[NDArray, dict(writable=False)] | None, out: NDArray
) -> None: ...
def histogram(where: Where, bins: Annotated[NDArray, dict(writable=False)], counts: NDArray) -> None: ...
def split(
    where: Where, values: Annotated[NDArray, dict(writable=False)], item_size: int, buckets: Annotated[NDArray, dict(writable=False)], out: NDArray, offsets: NDArray
) -> None: ...
def merge(where: Where, a: Annotated[NDArray, dict(writable=False)], b: Annotated[NDArray, dict(writable=False)], out: NDArray) -> None: ...
def search_sorted(where: Where, keys: Annotated[NDArray, dict(writable=False)], queries: Annotated[NDArray, dict(writable=False)], ranks: NDArray) -> None: ...
def sort_superkey(where: Where, points: Annotated[NDArray, dict(writable=False)], first: int, order: NDArray) -> None: ...

class KDTree(Lock):
    def __init__(self, where: Where, dtype: int, dim: int, builder: int = 0) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(self, where: Where, points: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def get_nodes(self, where: Where, points: NDArray | None, ids: NDArray | None) -> None: ...
    def verify(self, where: Where) -> None: ...
    def knn_self(self, where: Where, k: int, ids: NDArray, dist2: NDArray | None) -> None: ...
    def box(
        self, where: Where, boxes: Annotated[NDArray, dict(writable=False)], offsets: NDArray, ids: NDArray | None
    ) -> None: ...
    def save(self, where: Where) -> bytes: ...
    def query_knn(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)] | None,
        k: int,
        p: float,
        epsilon: float,
        periods: Annotated[NDArray, dict(writable=False)] | None,
        bounds: Annotated[NDArray, dict(writable=False)] | None,
        exclude_self: bool,
        ids: NDArray,
        distances: NDArray | None,
    ) -> None: ...
    def knn(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)],
        k: int,
        radius: float,
        ids: NDArray,
        dist2: NDArray | None,
    ) -> None: ...
    def query_radius(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)] | None,
        radii: Annotated[NDArray, dict(writable=False)],
        p: float,
        epsilon: float,
        periods: Annotated[NDArray, dict(writable=False)] | None,
        exclude_self: bool,
        offsets: NDArray,
        ids: NDArray | None,
        distances: NDArray | None,
    ) -> None: ...
    def query_radius_count(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)] | None,
        radii: Annotated[NDArray, dict(writable=False)],
        p: float,
        epsilon: float,
        periods: Annotated[NDArray, dict(writable=False)] | None,
        exclude_self: bool,
        counts: NDArray,
    ) -> None: ...
    def pairs(
        self,
        where: Where,
        other: KDTree | None,
        radius: float,
        p: float,
        epsilon: float,
        periods: Annotated[NDArray, dict(writable=False)] | None,
        offsets: NDArray,
        ids: NDArray | None,
        distances: NDArray | None,
    ) -> None: ...
    def pair_lists(
        self,
        where: Where,
        other: KDTree | None,
        radius: float,
        p: float,
        epsilon: float,
        periods: Annotated[NDArray, dict(writable=False)] | None,
    ) -> object: ...
    def pair_set(
        self, where: Where, radius: float, p: float, epsilon: float, periods: Annotated[NDArray, dict(writable=False)] | None
    ) -> object: ...
    def pair_array(
        self,
        where: Where,
        radius: float,
        p: float,
        epsilon: float,
        periods: Annotated[NDArray, dict(writable=False)] | None,
        pairs: NDArray,
    ) -> int: ...
    def radius_lists(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)],
        radii: Annotated[NDArray, dict(writable=False)],
        p: float,
        epsilon: float,
        periods: Annotated[NDArray, dict(writable=False)] | None,
    ) -> object: ...
    def count_pairs(
        self,
        where: Where,
        other: KDTree,
        radii: Annotated[NDArray, dict(writable=False)],
        p: float,
        periods: Annotated[NDArray, dict(writable=False)] | None,
        weights: Annotated[NDArray, dict(writable=False)] | None,
        other_weights: Annotated[NDArray, dict(writable=False)] | None,
        cumulative: bool,
        counts: NDArray | None,
        sums: NDArray | None,
    ) -> None: ...
    @staticmethod
    def load(arg0: Where, arg1: bytes, /) -> KDTree: ...

class NeighborList(Lock):
    def __init__(self, where: Where, dtype: int, cutoff: float, skin: float, half: bool) -> None: ...
    def build(
        self,
        where: Where,
        positions: int,
        n: int,
        stride: int,
        systems: int,
        offsets: int,
        cells: int,
        periodic: int,
    ) -> int: ...
    def move(self, where: Where, positions: int, n: int, stride: int) -> int: ...
    def write(
        self,
        where: Where,
        count: int,
        centers: int,
        neighbors: int,
        shifts: int,
        distances: int,
        vectors: int,
        rows: int,
    ) -> None: ...
    def padded(
        self, where: Where, width: int, neighbors: int, shifts: int, distances: int, counts: int
    ) -> None: ...

class Clouds(Lock):
    def __init__(self, where: Where, dtype: int, dim: int) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(
        self,
        where: Where,
        points: Annotated[NDArray, dict(writable=False)],
        offsets: Annotated[NDArray, dict(writable=False)],
    ) -> None: ...
    def knn(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)] | None,
        query_offsets: Annotated[NDArray, dict(writable=False)] | None,
        exclude_self: bool,
        k: int,
        radius: float,
        ids: NDArray,
        dist2: NDArray | None,
    ) -> None: ...
    def radius_count(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)] | None,
        query_offsets: Annotated[NDArray, dict(writable=False)] | None,
        exclude_self: bool,
        radius: float,
        counts: NDArray,
    ) -> None: ...
    def radius(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)] | None,
        query_offsets: Annotated[NDArray, dict(writable=False)] | None,
        exclude_self: bool,
        radius: float,
        rows: NDArray,
        ids: NDArray | None,
        dist2: NDArray | None,
    ) -> None: ...
    def sample_farthest(
        self,
        where: Where,
        offsets: Annotated[NDArray, dict(writable=False)],
        starts: Annotated[NDArray, dict(writable=False)] | None,
        ids: NDArray,
    ) -> None: ...
    def build_at(
        self,
        where: Where,
        points: int,
        n: int,
        single: bool,
        batch: int,
        count: int,
        other: int,
        other_n: int,
    ) -> tuple: ...
    def knn_at(
        self,
        where: Where,
        queries: int,
        n: int,
        batch: int,
        exclude_self: bool,
        k: int,
        radius: float,
        ids: int,
    ) -> None: ...
    def knn_edges_at(
        self,
        where: Where,
        queries: int,
        n: int,
        batch: int,
        exclude_self: bool,
        k: int,
        radius: float,
        ids_first: bool,
        to: int,
    ) -> None: ...
    def edges_at(
        self,
        where: Where,
        queries: int,
        n: int,
        batch: int,
        exclude_self: bool,
        radius: float,
        most: int,
        ids_first: bool,
        to: int,
        capacity: int,
    ) -> tuple: ...
    def sample_ratio_at(self, where: Where, ratio: float, draws: int, ids: int, capacity: int) -> int: ...

class Voxels(Lock):
    def __init__(
        self,
        where: Where,
        dtype: int,
        dim: int,
        cell: tuple[float, float, float],
        low: tuple[float, float, float],
        shape: tuple[int, int, int],
        max_points: int,
        max_voxels: int,
    ) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(
        self,
        where: Where,
        points: Annotated[NDArray, dict(writable=False)],
        offsets: Annotated[NDArray, dict(writable=False)] | None,
    ) -> None: ...
    def list(
        self,
        where: Where,
        coords: NDArray | None,
        counts: NDArray | None,
        firsts: NDArray | None,
        offsets: NDArray | None,
    ) -> None: ...
    def inverse(self, where: Where, ids: NDArray) -> None: ...
    def members(self, where: Where, offsets: NDArray, ids: NDArray) -> None: ...
    def mean(
        self,
        where: Where,
        features: Annotated[NDArray, dict(writable=False)],
        dtype: int,
        width: int,
        means: NDArray,
    ) -> None: ...
    def mean_gradient(
        self,
        where: Where,
        of_means: Annotated[NDArray, dict(writable=False)],
        dtype: int,
        width: int,
        of_features: NDArray,
    ) -> None: ...
    def nearest(self, where: Where, points: Annotated[NDArray, dict(writable=False)], ids: NDArray) -> None: ...
    def pad(
        self,
        where: Where,
        features: Annotated[NDArray, dict(writable=False)],
        dtype: int,
        width: int,
        rows: int,
        padded: NDArray,
    ) -> None: ...
    def kernel_map(
        self,
        where: Where,
        out: Voxels,
        shape: tuple[int, int, int],
        stride: tuple[int, int, int],
        dilation: tuple[int, int, int],
        map: NDArray,
    ) -> None: ...

class VoxelGrid(Lock):
    def __init__(self, where: Where, dtype: int, dim: int, cell: float) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(self, where: Where, points: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def voxels(self, where: Where, coords: NDArray | None, counts: NDArray | None) -> int: ...
    def voxel_count(
        self, where: Where, queries: Annotated[NDArray, dict(writable=False)] | None, counts: NDArray
    ) -> None: ...
    def radius_count(
        self, where: Where, queries: Annotated[NDArray, dict(writable=False)] | None, radius: float, counts: NDArray
    ) -> None: ...
    def radius(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)] | None,
        radius: float,
        offsets: NDArray,
        ids: NDArray | None,
        dist2: NDArray | None,
    ) -> None: ...
    def pairs(self, where: Where, radius: float, pairs: NDArray | None, dist2: NDArray | None) -> int: ...
    def components(self, where: Where, radius: float, labels: NDArray | None) -> int: ...

class Graph(Lock):
    def __init__(
        self, where: Where, weight: int, arcs: int = 0, parallel: int = 0, nan: int = 0, drop_loops: bool = False
    ) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(
        self,
        where: Where,
        u: Annotated[NDArray, dict(writable=False)],
        v: Annotated[NDArray, dict(writable=False)],
        weights: Annotated[NDArray, dict(writable=False)] | None,
        n: int,
    ) -> None: ...
    def build_rows(
        self,
        where: Where,
        offsets: Annotated[NDArray, dict(writable=False)],
        neighbours: Annotated[NDArray, dict(writable=False)],
        weights: Annotated[NDArray, dict(writable=False)] | None,
    ) -> None: ...
    def forest(self, where: Where, maximum: bool, edges: NDArray | None, labels: NDArray | None) -> tuple: ...
    def verify(self, where: Where, maximum: bool, edges: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def components(self, where: Where, labels: NDArray | None) -> int: ...

def emst(
    where: Where,
    points: Annotated[NDArray, dict(writable=False)],
    pairs: NDArray,
    dist2: NDArray | None,
    min_samples: int = 0,
) -> None: ...
def emst_minkowski(
    where: Where,
    points: Annotated[NDArray, dict(writable=False)],
    p: float,
    min_samples: int,
    pairs: NDArray,
    lengths: NDArray,
) -> None: ...
def edges_forest(
    where: Where,
    u: Annotated[NDArray, dict(writable=False)],
    v: Annotated[NDArray, dict(writable=False)],
    weights: Annotated[NDArray, dict(writable=False)],
    n: int,
    nan: int,
    edges: NDArray,
) -> int: ...
def edges_components(
    where: Where,
    u: Annotated[NDArray, dict(writable=False)],
    v: Annotated[NDArray, dict(writable=False)],
    n: int,
    labels: NDArray | None,
) -> int: ...
def rows_order(
    where: Where,
    offsets: Annotated[NDArray, dict(writable=False)],
    neighbours: Annotated[NDArray, dict(writable=False)],
    source: int,
    order: NDArray,
    predecessors: NDArray | None,
) -> int: ...
def rows_paths(
    where: Where,
    offsets: Annotated[NDArray, dict(writable=False)],
    neighbours: Annotated[NDArray, dict(writable=False)],
    weights: Annotated[NDArray, dict(writable=False)] | None,
    sources: Annotated[NDArray, dict(writable=False)],
    each: bool,
    limit: Annotated[NDArray, dict(writable=False)] | None,
    distances: NDArray | None,
    predecessors: NDArray | None,
    nearest: NDArray | None,
) -> None: ...
def linkage(
    where: Where,
    pairs: Annotated[NDArray, dict(writable=False)],
    lengths: Annotated[NDArray, dict(writable=False)],
    n: int,
    z: NDArray,
) -> None: ...
def dbscan(
    where: Where,
    points: Annotated[NDArray, dict(writable=False)],
    eps: float,
    min_samples: int,
    metric: int,
    p: float,
    periods: Annotated[NDArray, dict(writable=False)] | None,
    weights: Annotated[NDArray, dict(writable=False)] | None,
    labels: NDArray,
    core: NDArray,
) -> None: ...
class Clustering:
    def __init__(
        self,
        where: Where,
        points: Annotated[NDArray, dict(writable=False)],
        min_samples: int,
        min_cluster_size: int,
        leaf: bool,
        epsilon: float,
        max_cluster_size: int,
        allow_single_cluster: bool,
    ) -> None: ...
    def describe(self, where: Where) -> tuple[int, int, int, int, int, bool, float, int, bool]: ...
    def fetch(self, where: Where, points: NDArray, rows: NDArray, z: NDArray) -> None: ...
    def save(self, where: Where) -> bytes: ...
    @staticmethod
    def load(where: Where, data: bytes) -> Clustering: ...

def hdbscan_linkage(
    where: Where,
    points: Annotated[NDArray, dict(writable=False)],
    metric: int,
    p: float,
    min_samples: int,
    z: NDArray,
) -> None: ...
def hdbscan_select(
    where: Where,
    z: Annotated[NDArray, dict(writable=False)],
    n: int,
    min_cluster_size: int,
    leaf: bool,
    epsilon: float,
    max_cluster_size: int,
    allow_single_cluster: bool,
    labels: NDArray,
    probabilities: NDArray | None,
    outlier_scores: NDArray | None,
) -> None: ...
def hdbscan_condense(
    where: Where,
    z: Annotated[NDArray, dict(writable=False)],
    n: int,
    min_cluster_size: int,
    leaf: bool,
    epsilon: float,
    max_cluster_size: int,
    allow_single_cluster: bool,
    leaves: NDArray,
    densities: NDArray,
    clusters: NDArray,
) -> int: ...
def hdbscan_predict(
    where: Where,
    points: Annotated[NDArray, dict(writable=False)],
    min_samples: int,
    epsilon: float,
    leaves: Annotated[NDArray, dict(writable=False)],
    densities: Annotated[NDArray, dict(writable=False)],
    clusters: Annotated[NDArray, dict(writable=False)],
    cluster_count: int,
    queries: Annotated[NDArray, dict(writable=False)],
    labels: NDArray,
    probabilities: NDArray | None,
) -> None: ...
def hdbscan_memberships(
    where: Where,
    points: Annotated[NDArray, dict(writable=False)],
    leaves: Annotated[NDArray, dict(writable=False)],
    densities: Annotated[NDArray, dict(writable=False)],
    clusters: Annotated[NDArray, dict(writable=False)],
    cluster_count: int,
    labels: int,
    memberships: NDArray,
) -> None: ...
def hdbscan_predict_memberships(
    where: Where,
    points: Annotated[NDArray, dict(writable=False)],
    min_samples: int,
    leaves: Annotated[NDArray, dict(writable=False)],
    densities: Annotated[NDArray, dict(writable=False)],
    clusters: Annotated[NDArray, dict(writable=False)],
    cluster_count: int,
    queries: Annotated[NDArray, dict(writable=False)],
    labels: int,
    memberships: NDArray,
) -> None: ...
def cluster_centers(
    where: Where,
    points: Annotated[NDArray, dict(writable=False)],
    labels: Annotated[NDArray, dict(writable=False)],
    weights: Annotated[NDArray, dict(writable=False)] | None,
    clusters: int,
    centroids: NDArray | None,
    medoids: NDArray | None,
) -> None: ...
def cluster_validity(
    where: Where,
    points: Annotated[NDArray, dict(writable=False)],
    labels: Annotated[NDArray, dict(writable=False)],
    clusters: int,
    raw_distances: bool,
    scores: NDArray,
) -> float: ...
def linkage_cut(
    where: Where, z: Annotated[NDArray, dict(writable=False)], n: int, distance: float, labels: NDArray
) -> None: ...
def tour(where: Where, pairs: Annotated[NDArray, dict(writable=False)], n: int, order: NDArray) -> None: ...
def emst_replacements(
    where: Where,
    points: Annotated[NDArray, dict(writable=False)],
    pairs: Annotated[NDArray, dict(writable=False)],
    min_samples: int,
    replacements: NDArray,
    dist2: NDArray,
) -> None: ...
def emst_replacements_minkowski(
    where: Where,
    points: Annotated[NDArray, dict(writable=False)],
    pairs: Annotated[NDArray, dict(writable=False)],
    p: float,
    min_samples: int,
    replacements: NDArray,
    lengths: NDArray,
) -> None: ...
def improve_tour(
    where: Where, points: Annotated[NDArray, dict(writable=False)], kicks: int, seed: int, order: NDArray
) -> float: ...
def tour_bound(where: Where, points: Annotated[NDArray, dict(writable=False)], rounds: int) -> float: ...

class HashTable(Lock):
    def __init__(
        self,
        where: Where,
        layout: int,
        kind: int,
        key_bits: int,
        value_size: int,
        duplicates: int,
        value_dtype: int,
        load: float,
        seed: int,
        no_wait: bool,
    ) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(
        self,
        where: Where,
        keys: Annotated[NDArray, dict(writable=False)],
        values: Annotated[NDArray, dict(writable=False)] | None,
    ) -> None: ...
    def wait(self, where: Where) -> None: ...
    def insert(
        self,
        where: Where,
        keys: Annotated[NDArray, dict(writable=False)],
        values: Annotated[NDArray, dict(writable=False)] | None,
    ) -> None: ...
    def erase(self, where: Where, keys: Annotated[NDArray, dict(writable=False)]) -> int: ...
    def find(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)],
        values: NDArray | None,
        found: NDArray | None,
    ) -> None: ...
    def count(self, where: Where, queries: Annotated[NDArray, dict(writable=False)], counts: NDArray) -> None: ...
    def retrieve(
        self, where: Where, queries: Annotated[NDArray, dict(writable=False)], offsets: NDArray, values: NDArray | None
    ) -> None: ...
    def get_pairs(self, where: Where, keys: NDArray | None, values: NDArray | None, counts: NDArray | None) -> None: ...
    def rehash(self, where: Where, load: float, seed: int) -> None: ...
    def save(self, where: Where) -> bytes: ...
    @staticmethod
    def load(where: Where, bytes: bytes, key_bits: int, value_size: int, multi: bool) -> HashTable: ...

def unique(
    where: Where, keys: Annotated[NDArray, dict(writable=False)], key_bits: int, ids: NDArray, unique: NDArray | None
) -> int: ...

def cellgraph_table_bits() -> int: ...

class CellGraph(Lock):
    def __init__(
        self, where: Where, length: int, letter_bits: int, method: int, implied_edges: bool
    ) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(self, where: Where, vectors: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def add(self, where: Where, vectors: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def get_vertices(
        self,
        where: Where,
        vectors: NDArray | None,
        representatives: NDArray | None,
        multiplicities: NDArray | None,
        vertex_of: NDArray | None,
    ) -> None: ...
    def get_pairs(self, where: Where, pairs: NDArray | None, positions: NDArray | None) -> None: ...
    def get_rows(
        self, where: Where, offsets: NDArray | None, neighbours: NDArray | None, positions: NDArray | None
    ) -> None: ...
    def components(
        self, where: Where, mask: Annotated[NDArray, dict(writable=False)] | None, labels: NDArray | None
    ) -> int: ...
    def levels(
        self,
        where: Where,
        source: int,
        mask: Annotated[NDArray, dict(writable=False)] | None,
        levels: NDArray | None,
        parents: NDArray | None,
    ) -> tuple: ...
    def path(
        self,
        where: Where,
        source: int,
        target: int,
        mask: Annotated[NDArray, dict(writable=False)] | None,
        path: NDArray | None,
    ) -> int: ...

def words(length: int, letter_bits: int) -> int: ...

class Trie(Lock):
    def __init__(self, where: Where, length: int, letter_bits: int, duplicates: int) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(
        self,
        where: Where,
        keys: Annotated[NDArray, dict(writable=False)],
        values: Annotated[NDArray, dict(writable=False)] | None,
    ) -> None: ...
    def insert(
        self,
        where: Where,
        keys: Annotated[NDArray, dict(writable=False)],
        values: Annotated[NDArray, dict(writable=False)] | None,
    ) -> None: ...
    def erase(self, where: Where, keys: Annotated[NDArray, dict(writable=False)]) -> int: ...
    def find(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)],
        ranks: NDArray | None,
        values: NDArray | None,
        found: NDArray | None,
    ) -> None: ...
    def prefix(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)],
        lengths: Annotated[NDArray, dict(writable=False)] | None,
        begins: NDArray,
        ends: NDArray,
    ) -> None: ...
    def longest(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)],
        lengths: NDArray,
        begins: NDArray,
        ends: NDArray,
    ) -> None: ...
    def matches(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)],
        masks: Annotated[NDArray, dict(writable=False)],
        offsets: NDArray,
        ranks: NDArray | None,
    ) -> None: ...
    def neighbours(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)],
        offsets: NDArray,
        ranks: NDArray | None,
        positions: NDArray | None,
    ) -> None: ...
    def pairs(self, where: Where, pairs: NDArray | None, positions: NDArray | None) -> int: ...
    def get_keys(
        self, where: Where, begin: int, end: int, keys: NDArray | None, values: NDArray | None, counts: NDArray | None
    ) -> None: ...
    def save(self, where: Where) -> bytes: ...
    @staticmethod
    def load(where: Where, bytes: bytes) -> Trie: ...

class ConcurrentBinaryTree(Lock):
    def __init__(self, where: Where, depth: int, level: int) -> None: ...
    def info(self, where: Where) -> dict: ...
    def split(self, where: Where, nodes: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def merge(self, where: Where, nodes: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def reset(self, where: Where, level: int) -> None: ...
    def reduce(self, where: Where) -> None: ...
    def update(
        self, where: Where, commands: Annotated[NDArray, dict(writable=False)], sources: NDArray | None
    ) -> None: ...
    def decode(self, where: Where, first: int, nodes: NDArray) -> None: ...
    def encode(self, where: Where, nodes: Annotated[NDArray, dict(writable=False)], leaves: NDArray) -> None: ...
    def heap_read(self, where: Where, nodes: Annotated[NDArray, dict(writable=False)], counts: NDArray) -> None: ...
    def get_bits(self, where: Where, bits: NDArray) -> None: ...
    def set_bits(self, where: Where, bits: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def save(self, where: Where) -> bytes: ...
    @staticmethod
    def load(where: Where, bytes: bytes) -> ConcurrentBinaryTree: ...

class Terrain(Lock):
    def __init__(self, where: Where, spacing: float, spacing_y: float) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(self, where: Where, heights: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def select(
        self,
        where: Where,
        error: float,
        triangles: int,
        camera: tuple,
        regions: Annotated[NDArray, dict(writable=False)] | None,
        hysteresis: float,
    ) -> None: ...
    def update(self, where: Where, commands: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def get_mesh(
        self, where: Where, vertices: NDArray | None, normals: NDArray | None, triangles: NDArray | None
    ) -> tuple: ...
    def corners(self, where: Where, first: int, samples: NDArray) -> None: ...
    def locate(
        self,
        where: Where,
        points: Annotated[NDArray, dict(writable=False)],
        leaves: NDArray | None,
        heights: NDArray | None,
    ) -> None: ...
    def neighbours(
        self, where: Where, leaves: Annotated[NDArray, dict(writable=False)], neighbours: NDArray
    ) -> None: ...
    def measure(self, where: Where) -> dict: ...
    def leaves(self, where: Where) -> int: ...
    def decode(self, where: Where, first: int, nodes: NDArray) -> None: ...

class GeometricHash(Lock):
    def __init__(
        self,
        where: Where,
        kind: int,
        dim: int,
        neighbours: int,
        tolerance: float,
        vote_radius: float,
        max_bases: int,
        max_trials: int,
        min_fraction: float,
        stop_fraction: float,
        seed: int,
        instances: bool,
        exclusive: bool,
    ) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(
        self,
        where: Where,
        points: Annotated[NDArray, dict(writable=False)],
        offsets: Annotated[NDArray, dict(writable=False)],
    ) -> None: ...
    def find(self, where: Where, scene: Annotated[NDArray, dict(writable=False)], ids: NDArray) -> dict: ...
    def find_models(
        self, where: Where, scene: Annotated[NDArray, dict(writable=False)], capacity: int, ids: NDArray
    ) -> list: ...

class Collision(Lock):
    def __init__(self, where: Where, dtype: int, index_bits: int, cell: float) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(
        self,
        where: Where,
        a_vertices: Annotated[NDArray, dict(writable=False)],
        a_triangles: Annotated[NDArray, dict(writable=False)],
        a_transform: Annotated[NDArray, dict(writable=False)] | None,
        b_vertices: Annotated[NDArray, dict(writable=False)],
        b_triangles: Annotated[NDArray, dict(writable=False)],
        b_transform: Annotated[NDArray, dict(writable=False)] | None,
    ) -> None: ...
    def pairs(self, where: Where, pairs: NDArray) -> None: ...
    def rows(self, where: Where, offsets: NDArray, ids: NDArray | None) -> None: ...

def arrangement(where: Where, planes: Annotated[NDArray, dict(writable=False)], graph: CellGraph) -> dict: ...

class Planner(Lock):
    def __init__(
        self, where: Where, sampling: int, lazy: bool, seed: int, max_rows: int, new_rate: float
    ) -> None: ...
    def build(
        self, where: Where, robot: tuple, obstacle: tuple, forms: Annotated[NDArray, dict(writable=False)]
    ) -> None: ...
    def info(self, where: Where) -> dict: ...
    def add(self, where: Where, rotations: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def get_cells(
        self, where: Where, rotations: NDArray | None, free_mask: NDArray | None, components: NDArray | None
    ) -> None: ...
    def locate(self, where: Where, rotations: Annotated[NDArray, dict(writable=False)], cells: NDArray) -> None: ...
    def collides(self, where: Where, rotations: Annotated[NDArray, dict(writable=False)], mask: NDArray) -> None: ...
    def certify(
        self,
        where: Where,
        rotations: Annotated[NDArray, dict(writable=False)],
        certified: NDArray,
        fractions: NDArray,
    ) -> None: ...
    def route(
        self,
        where: Where,
        start: Annotated[NDArray, dict(writable=False)],
        goal: Annotated[NDArray, dict(writable=False)],
        weights: int,
        keep_steps: bool,
        rounds: int,
        max_boxes: int,
        max_tested: int,
    ) -> dict: ...
    def get_route(self, where: Where, rotations: NDArray, certified: NDArray) -> None: ...

class Bisectors(Lock):
    def __init__(
        self,
        where: Where,
        depth: int,
        level: int,
        glued: Annotated[NDArray, dict(writable=False)] | None,
        root_count: int,
    ) -> None: ...
    def info(self, where: Where) -> dict: ...
    def reset(self, where: Where, level: int) -> None: ...
    def split(self, where: Where, nodes: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def merge(self, where: Where, nodes: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def set_nodes(self, where: Where, nodes: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def update(
        self, where: Where, commands: Annotated[NDArray, dict(writable=False)], sources: NDArray | None
    ) -> None: ...
    def decode(self, where: Where, first: int, nodes: NDArray) -> None: ...
    def encode(self, where: Where, nodes: Annotated[NDArray, dict(writable=False)], leaves: NDArray) -> None: ...
    def neighbours(
        self, where: Where, leaves: Annotated[NDArray, dict(writable=False)], neighbours: NDArray
    ) -> None: ...
    def corners(self, where: Where, first: int, roots: NDArray, corners: NDArray) -> None: ...
    def locate(
        self,
        where: Where,
        roots: Annotated[NDArray, dict(writable=False)],
        points: Annotated[NDArray, dict(writable=False)],
        leaves: NDArray,
    ) -> None: ...
    def save(self, where: Where) -> bytes: ...
    @staticmethod
    def load(where: Where, bytes: bytes) -> Bisectors: ...

class Planet(Lock):
    def __init__(
        self,
        where: Where,
        radius: float,
        depth: int,
        detail_octaves: int,
        detail_amplitude: float,
        detail_wavelength: float,
        detail_seed: int,
    ) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(self, where: Where, heights: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def add_inset(
        self,
        where: Where,
        heights: Annotated[NDArray, dict(writable=False)],
        west: float,
        south: float,
        east: float,
        north: float,
        border: int,
    ) -> None: ...
    def place_camera(
        self, where: Where, latitude: float, longitude: float, altitude: float, heading: float, pitch: float
    ) -> tuple: ...
    def select(
        self, where: Where, error: float, triangles: int, camera: tuple, hysteresis: float, level: int
    ) -> None: ...
    def update(self, where: Where, commands: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def get_mesh(
        self,
        where: Where,
        origin: Annotated[NDArray, dict(writable=False)] | None,
        vertices: NDArray | None,
        positions: NDArray | None,
        normals: NDArray | None,
        triangles: NDArray | None,
    ) -> None: ...
    def sample(
        self,
        where: Where,
        directions: Annotated[NDArray, dict(writable=False)],
        heights: NDArray | None,
        positions: NDArray | None,
    ) -> None: ...
    def measure(self, where: Where) -> dict: ...
    def decode(self, where: Where, nodes: NDArray) -> None: ...
    def save(self, where: Where) -> bytes: ...
    @staticmethod
    def load(where: Where, bytes: bytes) -> Planet: ...

class Communicator(Lock):
    def info(self) -> dict: ...
    def barrier(self, where: Where) -> None: ...
    def close(self) -> None: ...

def create_threads(where: Where, count: int, timeout: float) -> list: ...
def create_transport(
    where: Where, all_gather: object, all_to_all: object, rank: int, size: int, timeout: float
) -> Communicator: ...

class RanksKDTree:
    def __init__(self, where: Where, comm: Communicator, dtype: int, dim: int) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(self, where: Where, points: Annotated[NDArray, dict(writable=False)]) -> None: ...
    def knn(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)],
        k: int,
        radius: float,
        bounded: bool,
        ids: NDArray,
        dist2: NDArray,
    ) -> None: ...
    def radius(
        self,
        where: Where,
        queries: Annotated[NDArray, dict(writable=False)],
        radius: float,
        offsets: NDArray,
        ids: NDArray | None,
        dist2: NDArray | None,
    ) -> None: ...
    def verify(self, where: Where) -> None: ...

class RanksHash:
    def __init__(
        self,
        where: Where,
        comm: Communicator,
        kind: int,
        key_bits: int,
        value_size: int,
        duplicates: int,
        value_dtype: int,
    ) -> None: ...
    def info(self, where: Where) -> dict: ...
    def build(self, where: Where, keys: Annotated[NDArray, dict(writable=False)], values: Annotated[NDArray, dict(writable=False)] | None) -> None: ...
    def insert(
        self, where: Where, keys: Annotated[NDArray, dict(writable=False)], values: Annotated[NDArray, dict(writable=False)] | None
    ) -> None: ...
    def erase(self, where: Where, keys: Annotated[NDArray, dict(writable=False)]) -> int: ...
    def find(
        self, where: Where, queries: Annotated[NDArray, dict(writable=False)], value_size: int, values: NDArray | None, found: NDArray | None
    ) -> None: ...

def ranks_reduce(where: Where, comm: Communicator, op: int, values: Annotated[NDArray, dict(writable=False)], result: NDArray) -> None: ...
def ranks_scan(
    where: Where, comm: Communicator, op: int, exclusive: bool, values: Annotated[NDArray, dict(writable=False)], out: NDArray
) -> None: ...
def ranks_sort(
    where: Where,
    comm: Communicator,
    keys: Annotated[NDArray, dict(writable=False)],
    values: Annotated[NDArray, dict(writable=False)] | None,
    sorted: NDArray,
    moved: NDArray | None,
) -> None: ...
def ranks_unique(where: Where, comm: Communicator, keys: Annotated[NDArray, dict(writable=False)], ids: NDArray, unique: NDArray) -> tuple: ...
def ranks_emst(where: Where, comm: Communicator, points: Annotated[NDArray, dict(writable=False)], pairs: NDArray, dist2: NDArray) -> int: ...
def ranks_emst_minkowski(
    where: Where,
    comm: Communicator,
    points: Annotated[NDArray, dict(writable=False)],
    p: float,
    min_samples: int,
    pairs: NDArray,
    lengths: NDArray,
) -> int: ...
def ranks_dbscan(
    where: Where,
    comm: Communicator,
    points: Annotated[NDArray, dict(writable=False)],
    eps: float,
    min_samples: int,
    labels: NDArray,
    core: NDArray | None,
) -> int: ...
def ranks_hdbscan(
    where: Where,
    comm: Communicator,
    points: Annotated[NDArray, dict(writable=False)],
    metric: int,
    p: float,
    min_cluster_size: int,
    min_samples: int,
    leaf: bool,
    epsilon: float,
    max_cluster_size: int,
    allow_single_cluster: bool,
    labels: NDArray,
    probabilities: NDArray,
) -> int: ...
def ranks_forest(
    where: Where, comm: Communicator, graph: Graph, maximum: bool, edges: NDArray, labels: NDArray | None
) -> tuple: ...
def ranks_components(where: Where, comm: Communicator, graph: Graph, labels: NDArray) -> int: ...
def random_bits(where: Where, seed: int, stream: int, bits: NDArray) -> None: ...
def random_points(where: Where, kind: int, seed: int, dim: int, points: NDArray) -> None: ...
def random_keys(where: Where, kind: int, seed: int, keys: NDArray) -> None: ...
def random_words(where: Where, kind: int, seed: int, length: int, letters: int, words: NDArray) -> None: ...
def random_heights(where: Where, kind: int, seed: int, width: int, height: int, heights: NDArray) -> None: ...

def ffi_handlers(backend: str) -> dict: ...
