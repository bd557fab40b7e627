"""Sound in and out: devices, files, rings, resampling, echo cancellation, voice activity."""
