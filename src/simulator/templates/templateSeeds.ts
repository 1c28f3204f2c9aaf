import type { World } from '../world';
import { addTemplate, defaultFields, type TemplateFields, type TemplateState } from './templateState';

/** Makers of the public templates; no accounts of the simulator. */
const serviceCreator = 1;
const otherCreators = [902, 917, 933] as const;
const day = 86_400;

const ssh = { runtype: 'ssh', use_ssh: true, ssh_direct: true } as const;
const jupyter = { runtype: 'jupyter', use_ssh: true, ssh_direct: true, jup_direct: true } as const;

const recommended: Partial<TemplateFields>[] = [
  {
    name: 'PyTorch (CUDA)',
    image: 'pytorch/pytorch',
    tag: '2.7.1-cuda12.8-cudnn9-devel',
    desc: 'PyTorch with CUDA and cuDNN, Jupyter and SSH.',
    readme: '# PyTorch\n\nOpens JupyterLab on port 8080. The folder `/workspace` holds your work.',
    env: '-p 8080:8080 -e JUPYTER_PORT=8080 -e DATA_DIRECTORY=/workspace/',
    onstart: 'mkdir -p /workspace\nentrypoint.sh',
    ...jupyter,
    use_jupyter_lab: true,
    jupyter_dir: '/workspace',
    recommended_disk_space: 32,
    extra_filters: { cuda_max_good: { gte: 12.8 } },
    href: 'https://hub.docker.com/r/pytorch/pytorch',
    repo: 'pytorch/pytorch',
  },
  {
    name: 'NVIDIA CUDA (SSH)',
    image: 'nvidia/cuda',
    tag: '12.4.1-devel-ubuntu22.04',
    desc: 'CUDA tool kit on Ubuntu with direct SSH.',
    ...ssh,
    onstart: 'touch ~/.no_auto_tmux',
    recommended_disk_space: 16,
    extra_filters: { cuda_max_good: { gte: 12.4 } },
    href: 'https://hub.docker.com/r/nvidia/cuda',
    repo: 'nvidia/cuda',
  },
  {
    name: 'vLLM server',
    image: 'vllm/vllm-openai',
    tag: 'v0.9.2',
    desc: 'OpenAI-compatible server for language models.',
    env: '-p 8000:8000 -e VLLM_ARGS="--max-model-len 8192"',
    runtype: 'args',
    args_str: '--model Qwen/Qwen2.5-7B-Instruct --port 8000',
    recommended_disk_space: 64,
    extra_filters: { gpu_ram: { gte: 24000 }, num_gpus: { gte: 1 } },
    href: 'https://hub.docker.com/r/vllm/vllm-openai',
    repo: 'vllm/vllm-openai',
  },
];

const ofOthers: Partial<TemplateFields>[] = [
  {
    name: 'ComfyUI',
    image: 'ghcr.io/example/comfyui',
    tag: '0.3.43',
    desc: 'Pictures from a graph of nodes.',
    env: '-p 8188:8188',
    ...ssh,
    onstart: 'comfy --listen 0.0.0.0 &',
    recommended_disk_space: 40,
  },
  {
    name: 'Blender render node',
    image: 'ghcr.io/example/blender',
    tag: '4.5',
    desc: 'Headless Blender that renders what it is sent.',
    runtype: 'args',
    args_str: '--background --python /serve.py',
    recommended_disk_space: 20,
  },
  {
    name: 'JupyterLab small',
    image: 'quay.io/jupyter/pytorch-notebook',
    tag: 'cuda12-latest',
    desc: 'A notebook through the proxy.',
    runtype: 'jupyter',
    use_ssh: true,
    use_jupyter_lab: true,
    recommended_disk_space: 12,
  },
];

const own: Partial<TemplateFields>[] = [
  {
    name: 'Fine-tuning',
    image: 'pytorch/pytorch',
    tag: '2.7.1-cuda12.8-cudnn9-devel',
    desc: 'LoRA runs on one or two cards.',
    env: '-e WANDB_MODE=offline -e HF_HOME=/workspace/hf -p 6006:6006',
    onstart:
      'pip install -q -r /workspace/requirements.txt\ntensorboard --bind_all --logdir /workspace/runs &',
    ...ssh,
    recommended_disk_space: 48,
    extra_filters: { gpu_ram: { gte: 24000 }, reliability: { gte: 0.98 } },
  },
  {
    name: 'Shared notebook',
    image: 'quay.io/jupyter/scipy-notebook',
    desc: 'For the study group.',
    ...jupyter,
    use_jupyter_lab: true,
    recommended_disk_space: 10,
    private: false,
  },
];

/** The public templates, and for the first account two of its own. */
export function seedTemplates(world: World, state: TemplateState): void {
  const first = world.accounts[0];
  if (!first || state.seeded.includes(first.id)) {
    return;
  }
  state.seeded.push(first.id);
  const now = world.now();
  recommended.forEach((fields, index) => {
    addTemplate(
      world,
      state,
      serviceCreator,
      { ...defaultFields, private: false, ...fields },
      { recommended: true, count_created: 40_000 - 9_000 * index, created_at: now - (300 + index) * day },
    );
  });
  ofOthers.forEach((fields, index) => {
    addTemplate(
      world,
      state,
      otherCreators[index % otherCreators.length] ?? serviceCreator,
      { ...defaultFields, private: false, ...fields },
      { count_created: 900 - 250 * index, created_at: now - (90 + index) * day },
    );
  });
  own.forEach((fields, index) => {
    addTemplate(
      world,
      state,
      first.id,
      { ...defaultFields, ...fields },
      { count_created: 7 - index, created_at: now - (20 - index) * day },
    );
  });
  world.changed();
}
