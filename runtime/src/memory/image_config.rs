//! What decides about images beside descriptors and instructions: the processor, and registers that a driver sets once per device.

use crate::error::Error;
use wavejit_isa::{Feature, Gfx};
use wavejit_texture::Generation;
use wavejit_texture::image::ImageConfig;
use wavejit_texture::tiling::{AddressConfig, TileTables};

/// The simplest device with a processor: one pipe, no table of border colors; tile modes as drivers set them for the chip.
pub(crate) fn config_of(target: Gfx) -> ImageConfig {
    ImageConfig {
        addresses: AddressConfig {
            tile_modes: if target.has(Feature::TileModes) { TileTables::of(&target.to_string()) } else { None },
            unscaled_depth_tail: target.has(Feature::UnscaledDepthTail),
            ..AddressConfig::default()
        },
        unpacked_d16: target.has(Feature::UnpackedD16),
        ..ImageConfig::default()
    }
}

/// What GB_ADDR_CONFIG says. An error if it is a value that no driver expects.
pub(crate) fn addresses(gb_addr_config: u32, generation: Generation) -> Result<AddressConfig, Error> {
    AddressConfig::from_register(generation, gb_addr_config)
        .ok_or_else(|| Error::Arg(format!("GB_ADDR_CONFIG {gb_addr_config:#x}: pipes take turns every 256 bytes, which is 0 in bits 5:3")))
}

/// How a device lays out images of a generation. On gfx6 to gfx8 that is up to the chip, though not in the tile modes that images get here:
/// one chip stands for all.
pub(crate) fn of_device(gb_addr_config: u32, generation: Generation) -> Result<AddressConfig, Error> {
    let tile_modes = match generation {
        Generation::Gfx6 => TileTables::of("gfx600"),
        Generation::Gfx8 => TileTables::of("gfx803"),
        _ => None,
    };
    Ok(AddressConfig { tile_modes, ..addresses(gb_addr_config, generation)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_with_tile_modes_have_a_table_of_them() {
        for target in Gfx::all() {
            assert_eq!(config_of(target).addresses.tile_modes.is_some(), target.0 < 0x900, "{target}");
        }
    }

    // IMG-08
    #[test]
    fn data_of_16_bits_is_packed_from_stoney_on() {
        assert_eq!([0x801, 0x803, 0x810, 0x900].map(|n| config_of(Gfx(n)).unpacked_d16), [true, true, false, false]);
    }
}
