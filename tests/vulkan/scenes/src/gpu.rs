//! A device with all its features on, buffers that the host sees, images, descriptor sets, and command buffers that run to their end.
//!
//! What is made lives until the `Gpu` is dropped, so that handles are plain values. That is also why calls of ash, all unsafe, are sound here:
//! handles are of this device and alive, and structures point to locals of the same function.

use std::cell::RefCell;
use std::ffi::CStr;

use ash::vk;

use crate::failure::Failure;

type Cleanup = Box<dyn FnOnce(&ash::Device)>;

/// A device.
pub struct Gpu {
    _entry: ash::Entry,
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub pool: vk::CommandPool,
    pub features: vk::PhysicalDeviceFeatures,
    pub limits: vk::PhysicalDeviceLimits,
    /// Device, driver, version of the driver (and of LLVM where it compiles shaders).
    pub name: String,
    /// The device draws stippled Bresenham lines.
    pub stipples: bool,
    extensions: Vec<&'static CStr>,
    memory: vk::PhysicalDeviceMemoryProperties,
    descriptors: vk::DescriptorPool,
    cleanups: RefCell<Vec<Cleanup>>,
}

/// Extensions that are switched on where they are.
const WANTED: [&CStr; 9] = [
    ash::ext::provoking_vertex::NAME,
    ash::ext::vertex_attribute_divisor::NAME,
    ash::ext::index_type_uint8::NAME,
    ash::ext::depth_clip_control::NAME,
    ash::ext::depth_clip_enable::NAME,
    ash::ext::discard_rectangles::NAME,
    ash::ext::line_rasterization::NAME,
    ash::ext::conditional_rendering::NAME,
    ash::ext::shader_stencil_export::NAME,
];

/// Memory that the host sees, for any use.
#[derive(Clone, Copy)]
pub struct Buffer {
    pub raw: vk::Buffer,
    map: *mut u8,
    bytes: usize,
}

impl Buffer {
    /// The bytes as they are now.
    pub fn read(&self) -> Vec<u8> {
        // SAFETY: the mapping is `bytes` long; the device has ended what it was given.
        unsafe { std::slice::from_raw_parts(self.map, self.bytes) }.to_vec()
    }

    /// The bytes as dwords.
    pub fn read_u32(&self) -> Vec<u32> {
        self.read().chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    pub fn write(&self, bytes: &[u8]) {
        assert!(bytes.len() <= self.bytes, "a buffer of {} bytes is given {}", self.bytes, bytes.len());
        // SAFETY: the mapping is `self.bytes` long.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.map, bytes.len()) };
    }
}

/// An image with one view of all of it.
#[derive(Clone, Copy)]
pub struct Image {
    pub raw: vk::Image,
    pub view: vk::ImageView,
    pub format: vk::Format,
    pub extent: vk::Extent3D,
    pub layers: u32,
    pub aspects: vk::ImageAspectFlags,
}

/// What an image is made like.
#[derive(Clone, Copy)]
pub struct ImageInfo {
    pub format: vk::Format,
    pub width: u32,
    pub height: u32,
    pub depth: u32,
    pub layers: u32,
    pub levels: u32,
    pub samples: u32,
    pub usage: vk::ImageUsageFlags,
    pub tiling: vk::ImageTiling,
}

impl ImageInfo {
    pub fn new(format: vk::Format, width: u32, height: u32, usage: vk::ImageUsageFlags) -> Self {
        Self { format, width, height, depth: 1, layers: 1, levels: 1, samples: 1, usage, tiling: vk::ImageTiling::OPTIMAL }
    }
}

/// What a shader reaches at a binding of set 0.
#[derive(Clone, Copy)]
pub enum Resource {
    Buffer(Buffer),
    Texture(vk::ImageView, vk::Sampler),
}

impl Resource {
    fn kind(&self) -> vk::DescriptorType {
        match self {
            Self::Buffer(_) => vk::DescriptorType::STORAGE_BUFFER,
            Self::Texture(..) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        }
    }
}

/// The aspects of a format.
pub fn aspects(format: vk::Format) -> vk::ImageAspectFlags {
    use vk::ImageAspectFlags as A;
    match format {
        vk::Format::D16_UNORM | vk::Format::D32_SFLOAT => A::DEPTH,
        vk::Format::D16_UNORM_S8_UINT | vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT => A::DEPTH | A::STENCIL,
        vk::Format::S8_UINT => A::STENCIL,
        _ => A::COLOR,
    }
}

impl Gpu {
    /// Opens the first device.
    pub fn new() -> Result<Self, Failure> {
        Self::open(false)
    }

    /// One that checks bounds of buffers, too.
    pub fn robust() -> Result<Self, Failure> {
        Self::open(true)
    }

    fn open(robust: bool) -> Result<Self, Failure> {
        // SAFETY: see the head of the file.
        unsafe {
            let entry = ash::Entry::load().map_err(|e| Failure::Wrong(format!("no Vulkan loader: {e}")))?;
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let instance = entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&app), None)?;
            let physical =
                *instance.enumerate_physical_devices()?.first().ok_or_else(|| Failure::Wrong("there is no device".to_owned()))?;
            let mut driver = vk::PhysicalDeviceDriverProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
            instance.get_physical_device_properties2(physical, &mut properties);
            let properties = properties.properties;
            let text = |name: Result<&CStr, _>| name.map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let names = [properties.device_name_as_c_str(), driver.driver_name_as_c_str(), driver.driver_info_as_c_str()];
            let name = names.map(text).join(" ");
            let offered = instance.enumerate_device_extension_properties(physical)?;
            let wanted = WANTED.into_iter().chain(robust.then_some(ash::ext::robustness2::NAME));
            let extensions: Vec<&'static CStr> =
                wanted.filter(|name| offered.iter().any(|e| e.extension_name_as_c_str().is_ok_and(|n| n == *name))).collect();
            let names: Vec<_> = extensions.iter().map(|e| e.as_ptr()).collect();

            let mut v11 = vk::PhysicalDeviceVulkan11Features::default();
            let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
            let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
            let mut provoking = vk::PhysicalDeviceProvokingVertexFeaturesEXT::default();
            let mut divisor = vk::PhysicalDeviceVertexAttributeDivisorFeaturesEXT::default();
            let mut index8 = vk::PhysicalDeviceIndexTypeUint8FeaturesEXT::default();
            let mut control = vk::PhysicalDeviceDepthClipControlFeaturesEXT::default();
            let mut clip = vk::PhysicalDeviceDepthClipEnableFeaturesEXT::default();
            let mut lines = vk::PhysicalDeviceLineRasterizationFeaturesEXT::default();
            let mut conditional = vk::PhysicalDeviceConditionalRenderingFeaturesEXT::default();
            let mut robustness = vk::PhysicalDeviceRobustness2FeaturesEXT::default();
            let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut v11).push_next(&mut v12).push_next(&mut v13);
            let has = |name| extensions.contains(&name);
            if has(ash::ext::provoking_vertex::NAME) {
                all = all.push_next(&mut provoking);
            }
            if has(ash::ext::vertex_attribute_divisor::NAME) {
                all = all.push_next(&mut divisor);
            }
            if has(ash::ext::index_type_uint8::NAME) {
                all = all.push_next(&mut index8);
            }
            if has(ash::ext::depth_clip_control::NAME) {
                all = all.push_next(&mut control);
            }
            if has(ash::ext::depth_clip_enable::NAME) {
                all = all.push_next(&mut clip);
            }
            if has(ash::ext::line_rasterization::NAME) {
                all = all.push_next(&mut lines);
            }
            if has(ash::ext::conditional_rendering::NAME) {
                all = all.push_next(&mut conditional);
            }
            if has(ash::ext::robustness2::NAME) {
                all = all.push_next(&mut robustness);
            }
            instance.get_physical_device_features2(physical, &mut all);
            // Checks of bounds change the code of every shader.
            if !robust {
                all.features.robust_buffer_access = 0;
            }
            let features = all.features;
            let mut own = vk::PhysicalDeviceLineRasterizationFeaturesEXT::default();
            if has(ash::ext::line_rasterization::NAME) {
                instance.get_physical_device_features2(physical, &mut vk::PhysicalDeviceFeatures2::default().push_next(&mut own));
            }
            let stipples = own.stippled_bresenham_lines != 0;
            let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names).push_next(&mut all);
            let device = instance.create_device(physical, &info, None)?;
            let queue = device.get_device_queue(0, 0);
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
            let sizes = [
                vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 256 },
                vk::DescriptorPoolSize { ty: vk::DescriptorType::COMBINED_IMAGE_SAMPLER, descriptor_count: 256 },
            ];
            let descriptors =
                device.create_descriptor_pool(&vk::DescriptorPoolCreateInfo::default().max_sets(256).pool_sizes(&sizes), None)?;
            if robust && !has(ash::ext::robustness2::NAME) {
                return Err(Failure::Missing("VK_EXT_robustness2".to_owned()));
            }
            Ok(Self {
                memory: instance.get_physical_device_memory_properties(physical),
                name,
                limits: properties.limits,
                _entry: entry,
                instance,
                physical,
                device,
                queue,
                pool,
                features,
                stipples,
                extensions,
                descriptors,
                cleanups: RefCell::default(),
            })
        }
    }

    pub fn has(&self, extension: &CStr) -> bool {
        self.extensions.contains(&extension)
    }

    /// Fails unless the extension is there.
    pub fn need(&self, extension: &'static CStr) -> Result<(), Failure> {
        self.need_feature(self.has(extension), &extension.to_string_lossy())
    }

    /// Fails unless the feature is there.
    pub fn need_feature(&self, there: bool, name: &str) -> Result<(), Failure> {
        if there { Ok(()) } else { Err(Failure::Missing(name.to_owned())) }
    }

    /// Keeps something until the end.
    pub fn keep<T: Copy + 'static>(&self, thing: T, destroy: impl FnOnce(&ash::Device, T) + 'static) -> T {
        self.cleanups.borrow_mut().push(Box::new(move |device| destroy(device, thing)));
        thing
    }

    fn allocate(&self, needs: vk::MemoryRequirements, flags: vk::MemoryPropertyFlags) -> Result<vk::DeviceMemory, Failure> {
        let kind = (0..self.memory.memory_type_count)
            .find(|&i| needs.memory_type_bits >> i & 1 != 0 && self.memory.memory_types[i as usize].property_flags.contains(flags))
            .ok_or_else(|| Failure::Wrong(format!("no type of memory has {flags:?}")))?;
        let mut how = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
        if flags.contains(vk::MemoryPropertyFlags::HOST_VISIBLE) {
            info = info.push_next(&mut how);
        }
        // SAFETY: see the head of the file.
        let memory = unsafe { self.device.allocate_memory(&info, None) }?;
        Ok(self.keep(memory, |d, m| unsafe { d.free_memory(m, None) }))
    }

    /// A buffer of zeros.
    pub fn buffer(&self, bytes: usize) -> Result<Buffer, Failure> {
        use vk::BufferUsageFlags as U;
        let bytes = bytes.max(4);
        let mut usage = U::STORAGE_BUFFER | U::TRANSFER_SRC | U::TRANSFER_DST | U::VERTEX_BUFFER | U::INDEX_BUFFER;
        usage |= U::INDIRECT_BUFFER | U::SHADER_DEVICE_ADDRESS;
        if self.has(ash::ext::conditional_rendering::NAME) {
            usage |= U::CONDITIONAL_RENDERING_EXT;
        }
        let info = vk::BufferCreateInfo::default().size(bytes as u64).usage(usage);
        let host = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: see the head of the file.
        unsafe {
            let raw = self.keep(self.device.create_buffer(&info, None)?, |d, b| d.destroy_buffer(b, None));
            let memory = self.allocate(self.device.get_buffer_memory_requirements(raw), host)?;
            self.device.bind_buffer_memory(raw, memory, 0)?;
            let map = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?.cast::<u8>();
            map.write_bytes(0, bytes);
            Ok(Buffer { raw, map, bytes })
        }
    }

    /// A buffer with these values.
    pub fn buffer_of<T: Copy>(&self, values: &[T]) -> Result<Buffer, Failure> {
        let bytes = as_bytes(values);
        let buffer = self.buffer(bytes.len())?;
        buffer.write(bytes);
        Ok(buffer)
    }

    pub fn image(&self, info: ImageInfo) -> Result<Image, Failure> {
        let extent = vk::Extent3D { width: info.width, height: info.height, depth: info.depth };
        let three = info.depth > 1;
        let mut flags = vk::ImageCreateFlags::empty();
        if three && info.usage.contains(vk::ImageUsageFlags::COLOR_ATTACHMENT) {
            flags |= vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE;
        }
        let create = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(if three { vk::ImageType::TYPE_3D } else { vk::ImageType::TYPE_2D })
            .format(info.format)
            .extent(extent)
            .mip_levels(info.levels)
            .array_layers(info.layers)
            .samples(vk::SampleCountFlags::from_raw(info.samples))
            .tiling(info.tiling)
            .usage(info.usage);
        // SAFETY: see the head of the file.
        let raw = unsafe {
            let raw = self.keep(self.device.create_image(&create, None)?, |d, i| d.destroy_image(i, None));
            let memory = self.allocate(self.device.get_image_memory_requirements(raw), vk::MemoryPropertyFlags::empty())?;
            self.device.bind_image_memory(raw, memory, 0)?;
            raw
        };
        let kind = match (three, info.layers) {
            (true, _) => vk::ImageViewType::TYPE_3D,
            (_, 1) => vk::ImageViewType::TYPE_2D,
            _ => vk::ImageViewType::TYPE_2D_ARRAY,
        };
        let mut image =
            Image { raw, view: vk::ImageView::null(), format: info.format, extent, layers: info.layers, aspects: aspects(info.format) };
        if info.usage.intersects(!(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST)) {
            let range = vk::ImageSubresourceRange {
                aspect_mask: image.aspects,
                base_mip_level: 0,
                level_count: info.levels,
                base_array_layer: 0,
                layer_count: info.layers,
            };
            image.view = self.view(&image, kind, range)?;
        }
        Ok(image)
    }

    pub fn view(&self, image: &Image, kind: vk::ImageViewType, range: vk::ImageSubresourceRange) -> Result<vk::ImageView, Failure> {
        let info = vk::ImageViewCreateInfo::default().image(image.raw).view_type(kind).format(image.format).subresource_range(range);
        // SAFETY: see the head of the file.
        let view = unsafe { self.device.create_image_view(&info, None) }?;
        Ok(self.keep(view, |d, v| unsafe { d.destroy_image_view(v, None) }))
    }

    pub fn sampler(&self, filter: vk::Filter, mode: vk::SamplerAddressMode) -> Result<vk::Sampler, Failure> {
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(filter)
            .min_filter(filter)
            .address_mode_u(mode)
            .address_mode_v(mode)
            .address_mode_w(mode)
            .max_lod(vk::LOD_CLAMP_NONE);
        // SAFETY: see the head of the file.
        let sampler = unsafe { self.device.create_sampler(&info, None) }?;
        Ok(self.keep(sampler, |d, s| unsafe { d.destroy_sampler(s, None) }))
    }

    /// The layout of set 0 with these resources, the layout of pipelines with it and 128 bytes of push constants, and the set.
    pub fn set(&self, resources: &[Resource]) -> Result<(vk::PipelineLayout, vk::DescriptorSet), Failure> {
        let stages = vk::ShaderStageFlags::ALL_GRAPHICS | vk::ShaderStageFlags::COMPUTE;
        let bindings: Vec<_> = resources
            .iter()
            .enumerate()
            .map(|(i, r)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(i as u32)
                    .descriptor_type(r.kind())
                    .descriptor_count(1)
                    .stage_flags(stages)
            })
            .collect();
        // SAFETY: see the head of the file.
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let layout = self.keep(self.device.create_descriptor_set_layout(&info, None)?, |d, l| {
                d.destroy_descriptor_set_layout(l, None);
            });
            let layouts = [layout];
            let push = [vk::PushConstantRange { stage_flags: stages, offset: 0, size: 128 }];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&push);
            let pipeline = self.keep(self.device.create_pipeline_layout(&info, None)?, |d, l| d.destroy_pipeline_layout(l, None));
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.descriptors).set_layouts(&layouts);
            let set = self.device.allocate_descriptor_sets(&info)?[0];
            for (i, resource) in resources.iter().enumerate() {
                let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(i as u32).descriptor_type(resource.kind());
                match *resource {
                    Resource::Buffer(buffer) => {
                        let info = [vk::DescriptorBufferInfo { buffer: buffer.raw, offset: 0, range: vk::WHOLE_SIZE }];
                        self.device.update_descriptor_sets(&[write.buffer_info(&info)], &[]);
                    }
                    Resource::Texture(image_view, sampler) => {
                        let info =
                            [vk::DescriptorImageInfo { sampler, image_view, image_layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL }];
                        self.device.update_descriptor_sets(&[write.image_info(&info)], &[]);
                    }
                }
            }
            Ok((pipeline, set))
        }
    }

    /// A command buffer that records.
    pub fn begin(&self) -> Result<vk::CommandBuffer, Failure> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: see the head of the file.
        unsafe {
            let commands = self.device.allocate_command_buffers(&info)?[0];
            self.device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            Ok(commands)
        }
    }

    /// Runs it, and waits.
    pub fn run(&self, commands: vk::CommandBuffer) -> Result<(), Failure> {
        let buffers = [commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: see the head of the file.
        unsafe {
            self.memory_barrier(commands);
            self.device.end_command_buffer(commands)?;
            self.device.queue_submit(self.queue, &submits, vk::Fence::null())?;
            self.device.queue_wait_idle(self.queue)?;
        }
        Ok(())
    }

    /// All before ends and is seen by all after, the host too.
    pub fn memory_barrier(&self, commands: vk::CommandBuffer) {
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE | vk::AccessFlags::HOST_READ);
        // SAFETY: see the head of the file.
        unsafe {
            self.device.cmd_pipeline_barrier(
                commands,
                all,
                all | vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[],
                &[],
            );
        }
    }

    /// The same for an image, which changes its layout.
    pub fn layout(&self, commands: vk::CommandBuffer, image: &Image, from: vk::ImageLayout, to: vk::ImageLayout) {
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let barrier = vk::ImageMemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
            .old_layout(from)
            .new_layout(to)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image.raw)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: image.aspects,
                base_mip_level: 0,
                level_count: vk::REMAINING_MIP_LEVELS,
                base_array_layer: 0,
                layer_count: vk::REMAINING_ARRAY_LAYERS,
            });
        // SAFETY: see the head of the file.
        unsafe { self.device.cmd_pipeline_barrier(commands, all, all, vk::DependencyFlags::empty(), &[], &[], &[barrier]) };
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: see the head of the file. A lost device ends its work, too.
        unsafe {
            let _ = self.device.device_wait_idle();
            for cleanup in self.cleanups.borrow_mut().drain(..).rev() {
                cleanup(&self.device);
            }
            self.device.destroy_descriptor_pool(self.descriptors, None);
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// Plain values as bytes.
pub fn as_bytes<T: Copy>(values: &[T]) -> &[u8] {
    // SAFETY: callers give numbers and arrays of them, without padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), std::mem::size_of_val(values)) }
}
