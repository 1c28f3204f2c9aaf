"""Fits a line on every GPU of the machine at once. torchrun starts one process for each GPU."""

import json
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

has_gpu = torch.cuda.is_available()
dist.init_process_group("nccl" if has_gpu else "gloo")
rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
device = torch.device("cuda", local) if has_gpu else torch.device("cpu")

torch.manual_seed(rank)
x = torch.rand(4096, 1, device=device)
y = 3 * x - 1 + 0.1 * torch.randn_like(x)

model = DistributedDataParallel(torch.nn.Linear(1, 1).to(device))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(1, 201):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if rank == 0 and epoch % 20 == 0:
        print(f"epoch {epoch} of 200 on {dist.get_world_size()} GPUs: loss {loss.item():.4f}", flush=True)

if rank == 0:
    line = model.module
    os.makedirs("outputs", exist_ok=True)
    with open("outputs/line.json", "w") as file:
        json.dump({"w": line.weight.item(), "b": line.bias.item()}, file)
dist.destroy_process_group()
