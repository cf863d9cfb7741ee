//! Why a scene did not pass.

use ash::vk;

/// Why a scene did not pass.
pub enum Failure {
    /// A call of Vulkan failed.
    Vulkan(vk::Result),
    /// The device lacks what the scene is about.
    Missing(String),
    /// Its compiler is known not to compile the scene's shaders: why.
    NotCompiled(&'static str),
    /// The result is wrong, or a tool is missing.
    Wrong(String),
}

impl From<vk::Result> for Failure {
    fn from(result: vk::Result) -> Self {
        Self::Vulkan(result)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Wrong(error.to_string())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Vulkan(result) => write!(f, "Vulkan: {result}"),
            Self::Missing(what) => write!(f, "the device has no {what}"),
            Self::NotCompiled(why) => f.write_str(why),
            Self::Wrong(what) => f.write_str(what),
        }
    }
}
