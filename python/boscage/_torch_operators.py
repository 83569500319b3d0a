"""Operators of PyTorch in the namespace ``boscage``, with shapes for compilers and gradients of distances."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

_DEFINED: list[Any] = []  # operators of a Library live as long as it does


def _lengths(vectors: Any) -> Any:
    """Lengths of vectors of any scale, none of them 0. Squares of small and large numbers are beyond float32."""
    largest = vectors.detach().abs().amax(1, keepdim=True)
    return largest * (vectors / largest).norm(dim=1, keepdim=True)


def define(torch: Any, calls: dict[str, Callable]) -> Optional[Any]:
    """Defines the operators over the calls that compute them, and returns their namespace. None without PyTorch 2.4."""
    if torch is None or not hasattr(torch.library, "custom_op"):
        return None
    _DEFINED.append(_Definitions(torch, calls))
    return torch.ops.boscage


class _Definitions:
    """Schemas, fake kernels (results without contents, for tracing), and backward passes."""

    def __init__(self, torch: Any, calls: dict[str, Callable]):
        self.torch, self.calls = torch, calls
        self.library = torch.library.Library("boscage", "FRAGMENT")
        tail = "Tensor? batch_x, Tensor? batch_y"
        self.add_integer("knn", f"(Tensor x, Tensor y, int k, {tail}, int? size) -> Tensor", self.fake_knn)
        radius = f"(Tensor x, Tensor y, float r, {tail}, int most, int? size) -> Tensor"
        self.add_integer("radius", radius, self.fake_radius)
        graph = "(Tensor x, int k, float? r, Tensor? batch, bool loop, str flow, int? size) -> Tensor"
        self.add_integer("graph", graph, self.fake_graph)
        self.add_integer("nearest", f"(Tensor x, Tensor y, {tail}) -> Tensor", self.fake_nearest)
        fps = "(Tensor src, Tensor? batch, float ratio, int? size, Tensor? ptr, Tensor? seed) -> Tensor"
        self.add_integer("fps", fps, self.fake_fps)
        padded = "Tensor p1, Tensor p2, Tensor? lengths1, Tensor? lengths2, int k"
        points = self.add("knn_points", f"({padded}, bool exclude_self) -> (Tensor, Tensor)", self.fake_padded)
        ball = self.add("ball_query", f"({padded}, float r) -> (Tensor, Tensor)", self.fake_padded)
        for operator in (points, ball):
            operator.register_autograd(self.backward, setup_context=self.save_for_backward)

        systems = "Tensor positions, float cutoff, Tensor? offsets, Tensor? cells, Tensor? pbc"
        lists = f"(str quantities, {systems}, bool half) -> Tensor[]"
        atoms = self.add("neighbor_lists", lists, self.fake_lists)
        atoms.register_autograd(self.lists_backward, setup_context=self.save_lists)

    def add_integer(self, name: str, schema: str, fake: Callable) -> None:
        """An operator of integer results. It needs no gradients, and so avoids the layers of custom_op."""
        torch = self.torch
        self.library.define(name + schema, tags=(torch.Tag.pt2_compliant_tag,))
        self.library.impl(name, self.calls[name], "CompositeExplicitAutograd")
        torch.library.register_fake(f"boscage::{name}", fake, lib=self.library)

    def add(self, name: str, schema: str, fake: Callable) -> Any:
        operator = self.torch.library.custom_op(f"boscage::{name}", self.calls[name], mutates_args=(), schema=schema)
        operator.register_fake(fake)
        return operator

    # ---- fake kernels ----

    def edges(self, like: Any, count: Any) -> Any:
        return like.new_empty((2, count), dtype=self.torch.int64)

    def unknown(self) -> Any:
        """A size that depends on the data."""
        return self.torch.library.get_ctx().new_dynamic_size()

    def fake_knn(self, x: Any, y: Any, k: int, batch_x: Any, batch_y: Any, size: Any) -> Any:
        known = batch_x is None and batch_y is None
        return self.edges(y, y.shape[0] * self.torch.sym_min(k, x.shape[0]) if known else self.unknown())

    def fake_radius(self, x: Any, y: Any, r: float, batch_x: Any, batch_y: Any, most: int, size: Any) -> Any:
        return self.edges(y, self.unknown())

    def fake_graph(self, x: Any, k: int, r: Any, batch: Any, loop: bool, flow: str, size: Any) -> Any:
        if r is not None or batch is not None:
            return self.edges(x, self.unknown())
        others = self.torch.sym_max(x.shape[0] - int(not loop), 0)
        return self.edges(x, x.shape[0] * self.torch.sym_min(k, others))

    def fake_nearest(self, x: Any, y: Any, batch_x: Any, batch_y: Any) -> Any:
        return x.new_empty((x.shape[0],), dtype=self.torch.int64)

    def fake_fps(self, src: Any, batch: Any, ratio: float, size: Any, ptr: Any, seed: Any) -> Any:
        known = batch is None and ptr is None
        return src.new_empty((math.ceil(ratio * src.shape[0]) if known else self.unknown(),), dtype=self.torch.int64)

    def fake_padded(self, p1: Any, p2: Any, lengths1: Any, lengths2: Any, k: int, option: Any) -> Any:
        shape, torch = (p1.shape[0], p1.shape[1], k), self.torch
        dtype = torch.float32 if p2.dtype == torch.float32 else torch.float64
        return p1.new_empty(shape, dtype=dtype), p1.new_empty(shape, dtype=torch.int64)

    def fake_lists(
        self, quantities: str, positions: Any, cutoff: float, offsets: Any, cells: Any, pbc: Any, half: bool
    ) -> list:
        """Shapes of the arrays that the letters name: see boscage.atoms.neighbor_lists."""
        torch, count = self.torch, self.unknown()
        real = torch.float32 if positions.dtype == torch.float32 else torch.float64
        shapes = {
            "i": ((count,), torch.int64),
            "j": ((count,), torch.int64),
            "S": ((count, 3), torch.int32),
            "d": ((count,), real),
            "D": ((count, 3), real),
            "p": ((positions.shape[0] + 1,), torch.int64),
            "P": ((count, 2), torch.int64),
        }
        return [positions.new_empty(shapes[k][0], dtype=shapes[k][1]) for k in quantities]

    # ---- gradients ----

    def save_for_backward(self, ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(inputs[0], inputs[1], output[1])

    def backward(self, ctx: Any, gradient: Any, _: Any) -> tuple:
        """Gradients of p1 and p2: 2 (p1 - p2) for each squared distance."""
        p1, p2, idx = ctx.saved_tensors
        clouds, rows, k = idx.shape
        there, slot = idx >= 0, idx.clamp(min=0).reshape(clouds, rows * k, 1).expand(-1, -1, p2.shape[2])
        if p2.shape[1] == 0:
            return p1.new_zeros(p1.shape), p2.new_zeros(p2.shape), None, None, None, None
        near = p2.gather(1, slot).reshape(clouds, rows, k, p2.shape[2])
        step = (p1[:, :, None] - near) * (2 * gradient * there)[..., None]
        own = step.sum(2)
        others = step.new_zeros(p2.shape).scatter_add(1, slot, -step.reshape(clouds, rows * k, p2.shape[2]))
        return own.to(p1.dtype), others.to(p2.dtype), None, None, None, None

    def save_lists(self, ctx: Any, inputs: Any, output: Any) -> None:
        ctx.quantities, positions, _, offsets, cells, *_ = inputs
        made = dict(zip(ctx.quantities, output))
        ctx.mark_non_differentiable(*(x for k, x in made.items() if k not in "dD"))
        ctx.save_for_backward(positions, offsets, cells, *(made.get(k) for k in "ijS"))

    def lists_backward(self, ctx: Any, gradients: Any) -> tuple:
        """Gradients of positions and cells from those of distances and vectors."""
        torch = self.torch
        positions, offsets, cells, i, j, shifts = ctx.saved_tensors
        given = dict(zip(ctx.quantities, gradients))
        if i is None or j is None or shifts is None:
            return (None,) * 7
        # 1. The vectors again, so that second derivatives follow.
        vectors = positions[j] - positions[i]
        systems, moves = None, shifts.to(vectors.dtype)
        if cells is not None and cells.dim() == 3:
            last = offsets[1:] if offsets is not None else torch.tensor([positions.shape[0]])
            systems = torch.searchsorted(last.to(i.device).contiguous(), i, right=True)
            vectors = vectors + (moves[:, :, None] * cells.to(vectors)[systems]).sum(1)
        elif cells is not None:
            vectors = vectors + moves @ cells.to(vectors)
        # 2. The gradient of each vector.
        step = torch.zeros_like(vectors)
        if given.get("D") is not None:
            step = step + given["D"]
        if given.get("d") is not None:
            apart = (vectors != 0).any(1, keepdim=True)
            lengths = _lengths(torch.where(apart, vectors, 1))
            step = step + torch.where(apart, given["d"][:, None] * (vectors / lengths), 0)
        # 3. Sums over atoms and cells.
        of_positions = positions.new_zeros(positions.shape).to(step.dtype).index_add(0, j, step).index_add(0, i, -step)
        of_cells = None
        if cells is not None:
            each = moves[:, :, None] * step[:, None, :]
            of_cells = each.sum(0) if systems is None else each.new_zeros(cells.shape).index_add(0, systems, each)
            of_cells = of_cells.to(cells)
        return None, of_positions.to(positions.dtype), None, None, of_cells, None, None
