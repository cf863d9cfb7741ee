//! Queries, and draws that depend on a value.

use ash::vk;

use crate::failure::Failure;
use crate::frame::{Call, Input, Targets};
use crate::reference::plain_flat;
use crate::state::{Depth, State};
use crate::test::{Both, Test, corners};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const WHITE: [f32; 4] = [1.0; 4];
const LESS: Option<Depth> = Some(Depth { func: vk::CompareOp::LESS, write: true });

fn pool(test: &Test<'_>, kind: vk::QueryType, count: u32, statistics: vk::QueryPipelineStatisticFlags) -> Result<vk::QueryPool, Failure> {
    let info = vk::QueryPoolCreateInfo::default().query_type(kind).query_count(count).pipeline_statistics(statistics);
    // SAFETY: see the head of gpu.rs.
    let pool = unsafe { test.gpu.device.create_query_pool(&info, None) }?;
    Ok(test.gpu.keep(pool, |d, p| unsafe { d.destroy_query_pool(p, None) }))
}

pub fn occlusion(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need_feature(test.gpu.features.occlusion_query_precise != 0, "occlusionQueryPrecise")?;
    let device = &test.gpu.device;
    for samples in [1, 4] {
        let queries = pool(test, vk::QueryType::OCCLUSION, 4, vk::QueryPipelineStatisticFlags::empty())?;
        let targets = Targets::new(test.size, &[RGBA8]).with_depth(vk::Format::D32_SFLOAT).with_samples(samples);
        let mut both = Both::new(test, targets)?;
        let state = State { depth: LESS, samples, ..State::flat() };
        // SAFETY: see the head of gpu.rs.
        unsafe { device.cmd_reset_query_pool(both.frame.commands, queries, 0, 4) };
        let areas = [
            ([2.0, 3.0, 50.0, 40.0], 0.5),
            ([20.0, 10.0, 70.0, 60.0], 0.75),
            ([500.0, 0.0, 600.0, 60.0], 0.5),
            ([0.0, 0.0, 33.0, 33.0], 0.25),
        ];
        let mut expected = Vec::new();
        for (i, (area, z)) in areas.into_iter().enumerate() {
            both.frame.render();
            // SAFETY: see the head of gpu.rs.
            unsafe { device.cmd_begin_query(both.frame.commands, queries, i as u32, vk::QueryControlFlags::PRECISE) };
            let before = both.reference.passed;
            both.draw(&state, &test.quad(area, z, WHITE), plain_flat)?;
            both.draw(&state, &test.quad([60.0, 50.0, 63.5, 53.5], z / 2.0 + i as f32 / 64.0, WHITE), plain_flat)?;
            expected.push(both.reference.passed - before);
            // SAFETY: see the head of gpu.rs.
            unsafe { device.cmd_end_query(both.frame.commands, queries, i as u32) };
        }
        let commands = both.frame.pause();
        let copy = test.gpu.buffer(64)?;
        let flags = vk::QueryResultFlags::WAIT | vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        // SAFETY: see the head of gpu.rs.
        unsafe { device.cmd_copy_query_pool_results(commands, queries, 0, 4, copy.raw, 0, 16, flags) };
        both.finish(test, &format!("{samples} samples"))?;
        let mut found = [0u64; 4];
        // SAFETY: see the head of gpu.rs.
        unsafe { device.get_query_pool_results(queries, 0, &mut found, vk::QueryResultFlags::WAIT | vk::QueryResultFlags::TYPE_64)? };
        test.expect(found[..] == expected, || format!("{samples} samples: {found:?}, not {expected:?}"));
        let copied: Vec<u64> = copy.read().chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();
        let pairs: Vec<u64> = expected.iter().flat_map(|&e| [e, 1]).collect();
        test.expect(copied == pairs, || format!("{samples} samples, copied: {copied:?}, not {pairs:?}"));
    }
    Ok(())
}

pub fn statistics(test: &mut Test<'_>) -> Result<(), Failure> {
    use vk::QueryPipelineStatisticFlags as S;
    test.gpu.need_feature(test.gpu.features.pipeline_statistics_query != 0, "pipelineStatisticsQuery")?;
    let device = &test.gpu.device;
    let kinds = S::INPUT_ASSEMBLY_VERTICES
        | S::INPUT_ASSEMBLY_PRIMITIVES
        | S::VERTEX_SHADER_INVOCATIONS
        | S::CLIPPING_INVOCATIONS
        | S::CLIPPING_PRIMITIVES
        | S::FRAGMENT_SHADER_INVOCATIONS;
    let queries = pool(test, vk::QueryType::PIPELINE_STATISTICS, 1, kinds)?;
    let times = pool(test, vk::QueryType::TIMESTAMP, 2, S::empty())?;
    let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
    // SAFETY: see the head of gpu.rs.
    unsafe {
        device.cmd_reset_query_pool(both.frame.commands, queries, 0, 1);
        device.cmd_reset_query_pool(both.frame.commands, times, 0, 2);
        both.frame.render();
        device.cmd_write_timestamp(both.frame.commands, vk::PipelineStageFlags::TOP_OF_PIPE, times, 0);
        device.cmd_begin_query(both.frame.commands, queries, 0, vk::QueryControlFlags::empty());
    }
    let mut vertices = test.quad([3.0, 4.0, 40.0, 50.0], 0.5, WHITE);
    vertices.extend(test.quad([900.0, 4.0, 940.0, 50.0], 0.5, WHITE));
    both.draw(&State::flat(), &vertices, plain_flat)?;
    // SAFETY: see the head of gpu.rs.
    unsafe {
        device.cmd_end_query(both.frame.commands, queries, 0);
        device.cmd_write_timestamp(both.frame.commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, times, 1);
    }
    let shaded = both.reference.shaded;
    both.finish(test, "picture")?;
    let mut found = [0u64; 6];
    let mut clock = [0u64; 2];
    let flags = vk::QueryResultFlags::WAIT | vk::QueryResultFlags::TYPE_64;
    // SAFETY: see the head of gpu.rs. One query has six values.
    unsafe {
        let info = device.get_query_pool_results(queries, 0, std::slice::from_mut(&mut found), flags);
        info?;
        device.get_query_pool_results(times, 0, &mut clock, flags)?;
    }
    let [input, primitives, vertex, clipped, passed, fragment] = found;
    test.expect((input, primitives) == (12, 4), || format!("assembly: {input} vertices, {primitives} primitives"));
    test.expect((4..=12).contains(&vertex), || format!("{vertex} vertex shaders"));
    test.expect(clipped == 4, || format!("{clipped} primitives at the clipper"));
    // Those outside may be dropped there.
    test.expect((2..=4).contains(&passed), || format!("{passed} primitives left the clipper"));
    // Helper lanes count on some devices: at most all of the quads that are touched.
    test.expect((shaded..=2 * shaded + 512).contains(&fragment), || format!("{fragment} fragment shaders for {shaded} fragments"));
    test.expect(clock[0] <= clock[1], || format!("timestamps {clock:?}"));
    Ok(())
}

pub fn conditional(test: &mut Test<'_>) -> Result<(), Failure> {
    test.gpu.need(ash::ext::conditional_rendering::NAME)?;
    let extension = ash::ext::conditional_rendering::Device::new(&test.gpu.instance, &test.gpu.device);
    for inverted in [false, true] {
        let mut both = Both::new(test, Targets::new(test.size, &[RGBA8]))?;
        let values = test.gpu.buffer_of(&[0u32, 1, 0, 0x8000_0000])?;
        let flags = if inverted { vk::ConditionalRenderingFlagsEXT::INVERTED } else { vk::ConditionalRenderingFlagsEXT::empty() };
        both.frame.render();
        for i in 0..4u64 {
            let begin = vk::ConditionalRenderingBeginInfoEXT::default().buffer(values.raw).offset(4 * i).flags(flags);
            let vertices = test.quad([i as f32 * 16.0, 3.0, i as f32 * 16.0 + 15.0, 40.0], 0.5, [1.0, i as f32 / 3.0, 0.0, 1.0]);
            let input = Input {
                vertices: vec![test.gpu.buffer_of(&vertices)?],
                call: Call::Draw { vertices: 6, instances: 1 },
                ..Input::default()
            };
            // SAFETY: see the head of gpu.rs.
            unsafe { (extension.fp().cmd_begin_conditional_rendering_ext)(both.frame.commands, &begin) };
            both.frame.draw_with(&State::flat(), &input)?;
            // SAFETY: see the head of gpu.rs.
            unsafe { (extension.fp().cmd_end_conditional_rendering_ext)(both.frame.commands) };
            if (i % 2 == 1) != inverted {
                both.reference.draw(&State::flat(), &corners(&vertices), &mut plain_flat);
            }
        }
        both.finish(test, &format!("inverted {inverted}"))?;
    }
    Ok(())
}
